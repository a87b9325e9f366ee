"""Objects of the real libraries through the tracer: .ci/check-libraries makes their environments."""
