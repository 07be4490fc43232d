"""Where a store's file lies: places that other programs or machines change are no good ones."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

MOUNTS: Final = Path("/proc/mounts")
_NETWORK: Final = frozenset(
    (
        *("nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "afs", "9p"),
        *("ceph", "glusterfs", "lustre", "beegfs", "gpfs", "davfs", "fuse.sshfs", "fuse.davfs2"),
        *("fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "fuse.glusterfs"),
    )
)
_CLOUD = re.compile(
    r"dropbox|onedrive|google ?drive|icloud|mobile documents|cloudstorage|nextcloud|owncloud|"
    r"syncthing|seafile|pcloud|box sync",
    re.IGNORECASE,
)


def warning_of_place(path: Path) -> str:
    """Return what is wrong with where a store lies, or nothing.

    SQLite relies on locks that a network share may not keep, and a folder that is kept equal with a
    cloud copies the file and its log at different moments.
    """
    folder = path.absolute().parent.resolve()
    cloud = next((part for part in folder.parts if _CLOUD.search(part)), "")
    if cloud:
        return (
            f"{path} lies in '{cloud}', which another program copies while it is written: copies "
            "may be damaged. Keep the store elsewhere and put backups there (`tiebreak db backup`)."
        )
    kind = _kind_of_file_system(folder)
    if kind in _NETWORK:
        return (
            f"{path} lies on a network share ({kind}), whose locks are not safe: two writers may "
            "damage it. Keep the store on a disk of one machine, or use PostgreSQL."
        )
    return ""


def can_write_beside(path: Path) -> bool:
    """Return whether files can be made in the folder of a store, as its readers have to."""
    return os.access(path.absolute().parent, os.W_OK)


def _kind_of_file_system(folder: Path) -> str:
    try:
        lines = MOUNTS.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        words = line.split()
        if len(words) < 3:
            continue
        place = words[1].replace("\\040", " ")
        if folder.is_relative_to(place) and len(place) >= len(best):
            best, kind = place, words[2]
    return kind
