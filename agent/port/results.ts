import type { Readable } from 'node:stream'

/** The log and the files of a sandbox, until `SandboxPort.remove`. Callers may repeat every call. */
export interface ResultPort {
  /** The bounded log so far, head, mark and tail. */
  log(id: string): Promise<Readable>
  /**
   * The newest bytes of the log from `position` on, at most 256 KiB. Positions count all bytes ever logged. If there are none
   * yet, waits up to `waitMs` (default 0, at most 10 s).
   */
  logSince(id: string, position: number, waitMs?: number): Promise<LogPart>
  /** One collected file by its name in `spec.collect.files`; only after the exit record says `present`. */
  file(id: string, name: string): Promise<Readable>
  /** The bytes of all collected tree files, one after another as `exit.tree.files` lists them. */
  tree(id: string): Promise<Readable>
  /** The entries of a collected folder, as `folder-entries.ts` reads them; nothing where the folder was absent. */
  folder(id: string): Promise<Readable>
}

export interface LogPart {
  /** Position of the first byte. */
  start: number
  bytes: Buffer
}
