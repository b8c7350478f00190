CREATE VIRTUAL TABLE term USING fts5(title, body, single, facet, content='', tokenize='ascii');
