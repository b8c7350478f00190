"""Admin routes for the data of one user: the archive, the erasure and the receipts."""

from __future__ import annotations

import time

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from citewell.server.app import App
from citewell.server.http.admin.admin_requests import AdminFields, answer_json, read_query
from citewell.server.http.admin.people_routes import SubjectFields
from citewell.services.subjects.archive_writing import MEDIA_TYPES, ArchiveFormat, write_archive
from citewell.services.subjects.subject_archive import SubjectArchive
from citewell.services.subjects.subject_checks import require_subject
from citewell.services.subjects.subject_erasure import SubjectEraser
from citewell.store.people.record_times import format_utc_time


class ArchiveFields(SubjectFields):
    format: ArchiveFormat = ArchiveFormat.JSON


async def send_archive(app: App, request: Request) -> Response:
    """Everything about one user; 404 if nothing is kept."""
    asked = read_query(request, ArchiveFields)
    owner = require_subject(asked.tenant_id, asked.user_id)
    archive = app.require_service(SubjectArchive)
    await archive.require_subject(owner)
    pieces = write_archive(archive, owner, asked.format, created_at=format_utc_time(time.time()))
    return StreamingResponse(
        pieces,
        media_type=MEDIA_TYPES[asked.format],
        headers={
            "cache-control": "no-store",
            "content-disposition": f'attachment; filename="citewell-archive.{asked.format}"',
        },
    )


async def erase_data(app: App, request: Request) -> Response:
    """Erase one user; also answers for a user of whom nothing is kept, so that it can be repeated."""
    asked = read_query(request, SubjectFields)
    owner = require_subject(asked.tenant_id, asked.user_id)
    receipt = await app.require_service(SubjectEraser).erase_subject(owner)
    app.recent.forget_owner(owner)
    return answer_json(receipt.to_json())


async def list_receipts(app: App, request: Request) -> Response:
    read_query(request, AdminFields)
    receipts = await app.require_service(SubjectEraser).list_receipts()
    return answer_json({"receipts": [receipt.to_json() for receipt in receipts]})
