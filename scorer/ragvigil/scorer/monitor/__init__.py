"""What looks at every series and service each tick, and writes what there is to say."""
