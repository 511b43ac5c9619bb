import { Socket } from 'node:net'
import { ArchiveReaders } from '../../reader/process/archive-readers.ts'
import { requestedReaders } from '../../reader/process/reader-command.ts'
import type { Log } from '../base/logging.ts'

/** Ends when no process starts readers any more (confine/reader-start.c). */
const keepAliveFd = 6

/** The archive readers of a role. A separate process starts them as another user; `readers` names its client program. */
export function readersOfRole(log: Log, readers: string | undefined): ArchiveReaders {
  if (readers) return new ArchiveReaders(log, requestedReaders(readers))
  return new ArchiveReaders(log, () => {
    throw new Error('archives are read where sandbox up started this process')
  })
}

/** Ends this process when the process that starts its readers has ended. */
export function watchReaderHost(log: Log): void {
  const keepAlive = new Socket({ fd: keepAliveFd, writable: false })
  keepAlive.on('close', () => {
    log.fatal('the process that starts archive readers has ended: this one is started again with another')
    process.exit(1)
  })
  keepAlive.resume()
  keepAlive.unref()
}
