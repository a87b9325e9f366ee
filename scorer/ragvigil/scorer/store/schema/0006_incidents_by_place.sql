-- Incidents stay for ever, and every look at a series asks for those of its own service that are not over for long.
CREATE INDEX incidents_by_place ON incidents (service, environment, resolved_at);
