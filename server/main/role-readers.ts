import { Socket } from 'node:net'
import type { Log } from '../base/logging.ts'
import { ArchiveReaders } from '../builds/reader/archive-readers.ts'
import { requestedReaders } from '../builds/reader/reader-command.ts'

/** Ends when nobody starts readers any more (confine/reader-start.c). */
const hearsFd = 6

/** The archive readers of a role, which a process beside it starts as another user; `--readers` names the program that asks it. */
export function readersOfRole(log: Log, readers: string | undefined): ArchiveReaders {
  if (!readers) {
    return new ArchiveReaders(log, () => {
      throw new Error('archives are read where sandbox up started this process')
    })
  }
  const hears = new Socket({ fd: hearsFd, writable: false })
  hears.on('close', () => {
    log.fatal('the process that starts archive readers has ended: this one is started again with another')
    process.exit(1)
  })
  hears.resume()
  hears.unref()
  return new ArchiveReaders(log, requestedReaders(readers))
}
