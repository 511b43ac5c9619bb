import { installedConfinement } from '../reader/confine/confinement.ts'
import { ArchiveReaders } from '../reader/process/archive-readers.ts'
import { directReaders, type ReaderLimits, readerProgram } from '../reader/process/reader-command.ts'
import type { Log } from '../server/base/logging.ts'

/** One copy for all tests. */
export const testConfinement = () => installedConfinement('/var/lib/sandbox-jobs-test/confine')

/** Readers of a process without a supervisor: confined as others are, except for their user id. */
export const startTestReader = directReaders(testConfinement(), readerProgram())

export const testReaders = (log: Log, limits?: ReaderLimits): ArchiveReaders =>
  new ArchiveReaders(log, startTestReader, limits)
