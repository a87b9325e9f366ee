"""What tracing costs a service: one file for each thing that is measured."""
