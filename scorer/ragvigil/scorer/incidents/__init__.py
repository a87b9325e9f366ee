"""From a fall to a message that arrived: the life of incidents, the words of pages, who is told, and delivery."""
