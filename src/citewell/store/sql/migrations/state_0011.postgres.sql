CREATE FUNCTION notify_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN PERFORM pg_notify(TG_ARGV[0], NEW.id); RETURN NULL; END $$;
CREATE TRIGGER job_changed AFTER UPDATE ON job FOR EACH ROW
WHEN (OLD.seq <> NEW.seq OR OLD.status <> NEW.status OR OLD.fence <> NEW.fence OR OLD.cancel <> NEW.cancel)
EXECUTE FUNCTION notify_change('citewell_job');
CREATE TRIGGER job_queued AFTER INSERT ON job FOR EACH ROW
WHEN (NEW.finished IS NULL) EXECUTE FUNCTION notify_change('citewell_job_queue');
CREATE TRIGGER job_released AFTER UPDATE ON job FOR EACH ROW
WHEN (NEW.finished IS NULL AND NEW.holder = '' AND OLD.holder <> '')
EXECUTE FUNCTION notify_change('citewell_job_queue');
CREATE TRIGGER erasure_changed AFTER INSERT OR UPDATE ON erasure FOR EACH ROW
EXECUTE FUNCTION notify_change('citewell_erasure');
