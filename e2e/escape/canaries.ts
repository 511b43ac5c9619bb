import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Files of the host that a program would change to escape or to persist. */
const hostFiles =
  `/etc/passwd /etc/shadow /etc/group /etc/crontab /etc/ld.so.preload /usr/bin/crun /usr/local/lib/sandbox-jobs/runsc
  /bin/busybox`.split(/\s+/)
const hostFolders = ['/', '/etc', '/etc/cron.d', '/root', '/dev', '/usr/local/bin', '/lib/systemd/system']
const settings =
  `kernel/core_pattern kernel/modprobe kernel/poweroff_cmd kernel/sysrq kernel/randomize_va_space kernel/hostname
  kernel/domainname kernel/kptr_restrict kernel/dmesg_restrict kernel/panic kernel/pid_max kernel/threads-max kernel/tainted
  kernel/shmmax kernel/sem kernel/unprivileged_bpf_disabled kernel/perf_event_paranoid kernel/usermodehelper/bset
  fs/protected_symlinks fs/protected_hardlinks fs/suid_dumpable fs/pipe-max-size vm/overcommit_memory vm/mmap_min_addr
  vm/swappiness vm/nr_hugepages vm/panic_on_oom net/ipv4/conf/lo/forwarding net/core/bpf_jit_enable`.split(
    /\s+/,
  )

/**
 * State outside the sandboxes. Files, settings and mounts of the host, its clock and its name must not change. No sandbox may find the
 * secret, the shared memory segment and the server. The kernel log must have no new fault. The checks run outside of the
 * sandboxes and use nothing that a sandbox reports.
 */
export class Canaries {
  /** In files, memory and environments that no sandbox may read. */
  readonly secret = `canary-${randomUUID()}`
  readonly folder: string
  /** Name of a server's abstract socket on the host. */
  readonly socketName = `sbj-canary-${randomUUID()}`
  /** Key of the host's shared memory segment. */
  segmentKey = 0
  readonly found: string[] = []
  readonly #server: Server
  #segment = ''
  #before = new Map<string, string>()
  #startedMs = 0
  #clockMs = 0
  #watched: string[] = []
  /** Uptime in seconds, as in the kernel log. */
  #uptime = 0

  private constructor(folder: string) {
    this.folder = folder
    this.#server = createServer((socket) => {
      this.found.push('a server of the host was reached')
      socket.destroy()
    })
  }

  static async plant(): Promise<Canaries> {
    const canaries = new Canaries(await mkdtemp(join(tmpdir(), 'escape-canary-')))
    await writeFile(join(canaries.folder, 'canary'), canaries.secret)
    await mkdir(join(canaries.folder, 'folder'))
    // Every user of the host may read it: only the sandbox protects it.
    await chmod(canaries.folder, 0o755)
    await new Promise<void>((resolve) => canaries.#server.listen(`\0${canaries.socketName}`, resolve))
    const { stdout } = await run('ipcmk', ['-M', '4096', '-p', '0666'])
    canaries.#segment = /(\d+)/.exec(stdout)?.[1] ?? ''
    canaries.segmentKey = Number((await canaries.#segmentLine())[0])
    return canaries
  }

  /** Records the present state, including `trees`, which sandboxes use read-only. */
  async watch(trees: string[]): Promise<void> {
    this.#watched = trees
    this.#before = await this.#state()
    this.#startedMs = performance.now()
    this.#clockMs = Date.now()
    this.#uptime = Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0])
  }

  checkOutput(text: string): void {
    if (text.includes(this.secret)) this.found.push('a secret was in the output of a sandbox')
  }

  /** Compares the state with the recorded one; returns all findings. */
  async verify(): Promise<string[]> {
    const now = await this.#state()
    for (const [name, value] of now) {
      if (this.#before.get(name) !== value)
        this.found.push(`changed: ${name}${difference(this.#before.get(name), value)}`)
    }
    for (const line of await kernelFaultsSince(this.#uptime))
      this.found.push(`a fault in the kernel log: ${line}`)
    const drift = Math.abs(Date.now() - this.#clockMs - (performance.now() - this.#startedMs))
    if (drift > 2000) this.found.push('the clock was set')
    if (hostname() !== (await readFile('/proc/sys/kernel/hostname', 'utf8')).trim())
      this.found.push('renamed')
    return this.found
  }

  async close(): Promise<void> {
    this.#server.close()
    await run('ipcrm', ['-m', this.#segment])
    await rm(this.folder, { recursive: true })
  }

  async #segmentLine(): Promise<string[]> {
    const lines = (await readFile('/proc/sysvipc/shm', 'utf8'))
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
    return lines.find((fields) => fields[1] === this.#segment) ?? []
  }

  async #state(): Promise<Map<string, string>> {
    const state = new Map<string, string>()
    for (const path of hostFiles) state.set(path, await contentOf(path))
    for (const name of settings) state.set(name, await contentOf(`/proc/sys/${name}`))
    for (const path of hostFolders) state.set(path, (await readdir(path)).sort().join(' '))
    state.set('the canary folder', await treeOf(this.folder))
    for (const tree of this.#watched) state.set(tree, await treeOf(tree))
    state.set('shared memory of the host', (await this.#segmentLine()).join(' '))
    state.set('mounts of the host', await mountsOfHost())
    return state
  }
}

/** The first differing lines. */
function difference(before = '', now: string): string {
  const [had, has] = [before.split('\n'), now.split('\n')]
  const changed = [...has.filter((line) => !had.includes(line)), ...had.filter((line) => !has.includes(line))]
  return changed
    .slice(0, 4)
    .map((line) => `\n  ${line}`)
    .join('')
}

async function contentOf(path: string): Promise<string> {
  const bytes = await readFile(path).catch(() => Buffer.from('absent'))
  return createHash('sha256').update(bytes).digest('hex')
}

async function treeOf(path: string): Promise<string> {
  const { stdout } = await run('find', [path, '-printf', '%P %y %s %m %U %G %T@ %l\n'], {
    maxBuffer: 2 ** 26,
  })
  const files = stdout.split('\n').filter((line) => / f \d/.test(line))
  const contents = await Promise.all(
    files.slice(0, 1000).map(async (line) => contentOf(join(path, line.slice(0, line.search(/ f \d/))))),
  )
  return createHash('sha256').update(stdout).update(contents.join()).digest('hex')
}

/** Mounts of the host, without those of other programs: network namespaces, and mounts below /tmp. */
async function mountsOfHost(): Promise<string> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).trim().split('\n')
  return lines
    .filter((line) => !/ - nsfs /.test(line) && !/\/run\/(netns|sandbox-jobs-network)/.test(line))
    .filter((line) => !line.includes(' /tmp/') || /escape-canary|sandbox-agent/.test(line))
    .map((line) => line.split(' ').slice(3).join(' '))
    .sort()
    .join('\n')
}

/** Lines of the kernel log about faults of the kernel since `uptime`. Lines with `traps` are about faults of programs. */
async function kernelFaultsSince(uptime: number): Promise<string[]> {
  const { stdout } = await run('dmesg', { maxBuffer: 2 ** 26 })
  return stdout
    .split('\n')
    .filter(
      (line) => /BUG:|Oops|general protection|KASAN|WARNING:/.test(line) && !/^\[[ \d.]+] traps: /.test(line),
    )
    .filter((line) => Number(/^\[ *([\d.]+)]/.exec(line)?.[1]) >= uptime)
}
