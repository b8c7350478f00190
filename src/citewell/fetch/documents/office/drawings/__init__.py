"""Charts and diagrams of office documents as tables and lists."""
