"""Where OTLP comes from when nobody sends it: files, followed files, standard input, other backends' history."""
