"""Builds the services for the rights of data subjects."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit
from citewell.tooling import Owner

if TYPE_CHECKING:
    from citewell.services.subjects.subject_archive import SubjectArchive
    from citewell.services.subjects.subject_erasure import SubjectEraser
    from citewell.services.subjects.user_directory import UserDirectory


def build_subject_archive(kit: ServiceKit) -> SubjectArchive:
    from citewell.services.subjects.subject_archive import SubjectArchive

    return SubjectArchive(kit.open_state(), kit.store.iterate_artifacts)


def build_subject_eraser(kit: ServiceKit) -> SubjectEraser:
    from citewell.services.subjects.subject_erasure import SubjectEraser

    async def erase_audit_lines(owner: Owner) -> dict[str, int]:
        from citewell.services.audit_log.audit_files import erase_owner_lines

        path = kit.settings.audit_path
        if path is None:
            return {}
        return {"audit_lines": await asyncio.to_thread(erase_owner_lines, path, owner)}

    return SubjectEraser(
        kit.open_state(), kit.store, kit.settings, erase_elsewhere=erase_audit_lines
    )


def build_user_directory(kit: ServiceKit) -> UserDirectory:
    from citewell.services.subjects.user_directory import UserDirectory

    return UserDirectory(kit.open_state())


BUILDERS: ServiceBuilders = {
    "citewell.services.subjects.subject_archive:SubjectArchive": build_subject_archive,
    "citewell.services.subjects.subject_erasure:SubjectEraser": build_subject_eraser,
    "citewell.services.subjects.user_directory:UserDirectory": build_user_directory,
}
