"""Pure functions on text that several rooms use: language, sentences, passages, dates, quantities, addresses, safety."""
