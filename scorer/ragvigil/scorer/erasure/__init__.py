"""What goes from the store: by age, by the ceiling on disk, or because somebody asked."""
