"""Countries: their codes and English names, and the codes that statistical offices use."""
