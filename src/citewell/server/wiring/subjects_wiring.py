"""Builds the services for the rights of data subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.subjects.subject_archive import SubjectArchive
    from citewell.services.subjects.subject_erasure import SubjectEraser
    from citewell.services.subjects.user_directory import UserDirectory


def build_subject_archive(kit: ServiceKit) -> SubjectArchive:
    from citewell.services.subjects.subject_archive import SubjectArchive

    return SubjectArchive(kit.open_state())


def build_subject_eraser(kit: ServiceKit) -> SubjectEraser:
    from citewell.services.subjects.subject_erasure import SubjectEraser

    return SubjectEraser(kit.open_state(), kit.store, kit.settings)


def build_user_directory(kit: ServiceKit) -> UserDirectory:
    from citewell.services.subjects.user_directory import UserDirectory

    return UserDirectory(kit.open_state())


BUILDERS: ServiceBuilders = {
    "citewell.services.subjects.subject_archive:SubjectArchive": build_subject_archive,
    "citewell.services.subjects.subject_erasure:SubjectEraser": build_subject_eraser,
    "citewell.services.subjects.user_directory:UserDirectory": build_user_directory,
}
