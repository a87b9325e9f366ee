"""OTLP comes in: over gRPC and HTTP, decoded, split by trace, durable before the ack."""
