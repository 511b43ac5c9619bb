import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CliError } from '../failure.ts'

/** A login for the address at which it was made: a token is never sent to another address. */
export interface StoredLogin {
  user: string
  token: string
  expires_at: string
}

export interface Credentials {
  /** Address of the latest login, the default of later commands. */
  url?: string
  logins: Record<string, StoredLogin>
  /** Rooms of recently seen runs, oldest first, so that commands can name a run without its room. */
  run_rooms: [run: string, room: string][]
}

const rememberedRunsMax = 500

export const credentialsPath = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment.SANDBOX_CLI_CONFIG || join(homedir(), '.config/sandbox-jobs/credentials.json')

/** Reads the stored logins; empty if there is no file. Throws if the file is invalid. */
export async function readCredentials(path: string): Promise<Credentials> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw unusable(path, error.message)
  })
  if (text === undefined) return { logins: {}, run_rooms: [] }
  try {
    const stored: unknown = JSON.parse(text)
    if (typeof stored !== 'object' || stored === null) throw new Error('not an object')
    return { logins: {}, run_rooms: [], ...stored }
  } catch (error) {
    throw unusable(path, error instanceof Error ? error.message : String(error))
  }
}

/** The file is private from its first byte. A reader sees either the old or the new content. */
export async function writeCredentials(path: string, credentials: Credentials): Promise<void> {
  const part = `${path}.${process.pid}.part`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await writeFile(part, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await chmod(part, 0o600)
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw unusable(path, error instanceof Error ? error.message : String(error))
  }
}

export function rememberRuns(credentials: Credentials, runs: { id: string; chatroom_id: string }[]): boolean {
  const known = new Map(credentials.run_rooms)
  const fresh = runs.filter((run) => known.get(run.id) !== run.chatroom_id)
  if (fresh.length === 0) return false
  for (const run of fresh) known.set(run.id, run.chatroom_id)
  credentials.run_rooms = [...known].slice(-rememberedRunsMax)
  return true
}

const unusable = (path: string, reason: string) =>
  new CliError(`The login file ${path} cannot be used: ${reason}`, {
    hint: 'Remove it and log in again with sandbox login, or name another with SANDBOX_CLI_CONFIG.',
    code: 'cli_login_file',
  })
