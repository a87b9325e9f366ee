"""The report on a stretch of a service's traffic: panels, bands, warnings; every number with its interval and n."""
