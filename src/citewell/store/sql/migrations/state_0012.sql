CREATE INDEX document_owner_row ON document (owner, id);
