"""What a demo leaves in its folder."""

STORE_NAME = "demo.db"
CONFIG_NAME = "demo.toml"
