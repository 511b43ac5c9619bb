import { chown, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account } from './account.ts'

/*
 * The folder of the server's Unix socket. A statement over loopback TCP passes the packet filter twice, so a short one takes about
 * twice the processor time of one over the socket.
 */

/** Longest path of a socket in Linux (unix(7)), without its ending zero. */
const pathBytesMax = 107

/** The folder below that of the embedded Postgres; undefined where paths in it are too long for a socket. */
export function socketFolderOf(dir: string): string | undefined {
  const folder = join(dir, 'socket')
  return Buffer.byteLength(join(folder, '.s.PGSQL.65535')) <= pathBytesMax ? folder : undefined
}

/** Makes the folder anew, without the socket of a server that was killed. Only the server makes files in it, and everybody may enter it. */
export async function makeSocketFolder(
  dir: string,
  account: Account | undefined,
): Promise<string | undefined> {
  const folder = socketFolderOf(dir)
  if (folder === undefined) return undefined
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o711 })
  if (account) await chown(folder, account.uid, account.gid)
  return folder
}
