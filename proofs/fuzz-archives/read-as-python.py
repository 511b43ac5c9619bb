"""Reads archives as Python's tarfile and zipfile do: a line `FORMAT PATH` each, answered by one line of JSON."""
import hashlib
import io
import json
import sys
import tarfile
import zipfile


def tidy(name):
    name = name.removeprefix('./').rstrip('/')
    return '' if name == '.' else name


def digest(content):
    return hashlib.sha256(content).hexdigest()


class Entry(tarfile.TarInfo):
    """Headers of GNU's dialect have times where Python looks for a prefix of the name."""

    @classmethod
    def frombuf(cls, buf, encoding, errors):
        entry = super().frombuf(buf, encoding, errors)
        if buf[257:265] == b'ustar  \0' and buf[345] != 0 and entry.type not in tarfile.GNU_TYPES:
            entry.name = entry.name.removeprefix(tarfile.nts(buf[345:500], encoding, errors) + '/')
        return entry


def read_tar(data, mode):
    with tarfile.open(fileobj=io.BytesIO(data), mode=mode, tarinfo=Entry) as archive:
        for entry in archive:
            if entry.isdir() or entry.type == b'D':
                yield tidy(entry.name), 'directory', ''
            elif entry.islnk():
                yield tidy(entry.name), 'hard_link', tidy(entry.linkname)
            elif entry.issym():
                yield tidy(entry.name), 'symlink', tidy(entry.linkname)
            elif entry.isreg():
                yield tidy(entry.name), 'file', digest(archive.extractfile(entry).read())
            else:
                yield tidy(entry.name), 'other', ''


def read_zip(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            kind = (entry.external_attr >> 16) & 0o170000 if entry.create_system in (3, 19) else 0
            if entry.filename.endswith('/'):
                yield tidy(entry.filename), 'directory', ''
            elif kind == 0o120000:
                yield tidy(entry.filename), 'symlink', tidy(archive.read(entry).decode())
            else:
                yield tidy(entry.filename), 'file', digest(archive.read(entry))


def read(form, path):
    with open(path, 'rb') as file:
        data = file.read()
    if form == 'zip':
        return read_zip(data)
    return read_tar(data, 'r:gz' if form == 'tar.gz' else 'r:')


for line in sys.stdin:
    form, path = line.rstrip('\n').split(' ', 1)
    try:
        result = sorted(set(entry for entry in read(form, path) if entry[0]))
    except Exception as error:
        result = f'{type(error).__name__}: {error}'
    print(json.dumps(result), flush=True)
