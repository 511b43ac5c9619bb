import type { Log } from '../base/logging.ts'
import { ArchiveReaders } from '../builds/reader/archive-readers.ts'
import { directReaders, type ReaderLimits, readerProgram } from '../builds/reader/reader-command.ts'
import { buildConfinement } from '../confine/native.ts'

/** Compiled once for all tests. */
export const testConfinement = () => buildConfinement('/var/lib/sandbox-jobs-test/confine')

/** Readers of a process that no supervisor started: confined as others are, but for their user. */
export const startTestReader = directReaders(testConfinement(), readerProgram())

export const testReaders = (log: Log, limits?: ReaderLimits): ArchiveReaders =>
  new ArchiveReaders(log, startTestReader, limits)
