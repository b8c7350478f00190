CREATE TRIGGER job_cancelled AFTER UPDATE ON job FOR EACH ROW
WHEN (OLD.cancel <> NEW.cancel) EXECUTE FUNCTION notify_change('citewell_job_cancel');
