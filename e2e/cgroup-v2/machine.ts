import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { runQemu } from './qemu.ts'

const run = promisify(execFile)
const tree = resolve(import.meta.dirname, '../..')
const busybox = '/bin/busybox'
const scratchBytes = 8 * 2 ** 30
/** Modules that are needed before the root is mounted. */
const earlyModules = 'virtio_pci 9pnet_virtio 9p overlay virtio_blk ext4 crc32c_generic'.split(' ')

/**
 * A virtual machine with Debian's kernel and version 2 of control groups only. Its root is this machine's root, read-only under
 * a tmpfs overlay; its /tmp is a separate disk.
 */
export class Machine {
  readonly #folder: string
  #release = ''

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async make(): Promise<Machine> {
    const machine = new Machine(await mkdtemp(join(tmpdir(), 'cgroup-v2-')))
    await machine.#fetchKernel()
    await machine.#makeEarlyRoot()
    await machine.#makeScratch()
    return machine
  }

  /** Runs the machine until it powers off; `accel` is qemu's option. Returns the lines of its console. */
  async run(accel: string, onLine: (line: string) => void): Promise<string[]> {
    const share = (tag: string, path: string) => [
      ...['-virtfs', `local,path=${path},mount_tag=${tag},security_model=none,readonly=on,multidevs=remap`],
    ]
    const options = [
      ...['-m', '4096'],
      ...['-nic', 'none'],
      ...['-kernel', join(this.#folder, `package/boot/vmlinuz-${this.#release}`)],
      ...['-initrd', join(this.#folder, 'early.cpio')],
      ...['-append', `console=ttyS0 quiet panic=-1 tree=${tree}`],
      ...share('host', '/'),
      ...share('modules', join(this.#folder, 'package/lib/modules')),
      ...['-drive', `file=${join(this.#folder, 'scratch.img')},format=raw,if=virtio,cache=unsafe`],
    ]
    return runQemu(accel, options, onLine)
  }

  async dispose(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #fetchKernel(): Promise<void> {
    const { stdout } = await run('apt-cache', ['depends', 'linux-image-amd64'])
    const name = /linux-image-\d\S*/.exec(stdout)?.[0]
    if (!name) throw new Error('no kernel package is known: apt-get update')
    this.#release = name.slice('linux-image-'.length)
    await run('apt-get', ['download', '-o', 'APT::Sandbox::User=root', name], { cwd: this.#folder })
    const archive = (await readdir(this.#folder)).find((file) => file.endsWith('.deb')) ?? ''
    const target = join(this.#folder, 'package')
    await run('dpkg-deb', ['-x', join(this.#folder, archive), target])
    await run(busybox, ['depmod', '-b', target, this.#release])
  }

  /** A root in memory: busybox, the modules that the real one needs, and init.sh. */
  async #makeEarlyRoot(): Promise<void> {
    const root = join(this.#folder, 'early')
    for (const name of ['bin', 'proc', 'sys', 'dev']) await mkdir(join(root, name), { recursive: true })
    await cp(busybox, join(root, 'bin/busybox'))
    await cp(join(import.meta.dirname, 'init.sh'), join(root, 'init'))
    const from = join(this.#folder, 'package/lib/modules', this.#release)
    const to = join(root, 'lib/modules', this.#release)
    for (const path of await this.#withDependencies(from)) {
      await mkdir(dirname(join(to, path)), { recursive: true })
      await cp(join(from, path), join(to, path))
    }
    await run(busybox, ['depmod', '-b', root, this.#release])
    const pack = `cd ${root} && find . | ${busybox} cpio -o -H newc >${this.#folder}/early.cpio 2>/dev/null`
    await run('sh', ['-c', `chmod 755 ${root}/init && ${pack}`])
  }

  async #withDependencies(modules: string): Promise<Set<string>> {
    const lines = (await readFile(join(modules, 'modules.dep'), 'utf8')).trim().split('\n')
    const needs = lines.map((line) => line.split(/[:\s]+/).filter(Boolean))
    const isEarly = (path: string) => earlyModules.includes(basename(path, '.ko'))
    const all = new Set(needs.filter(([path = '']) => isEarly(path)).flat())
    for (const path of all)
      for (const needed of needs.find(([first]) => first === path) ?? []) all.add(needed)
    return all
  }

  async #makeScratch(): Promise<void> {
    const disk = join(this.#folder, 'scratch.img')
    await writeFile(disk, '')
    await truncate(disk, scratchBytes)
    await run('mkfs.ext4', ['-q', '-m', '0', '-O', '^has_journal', disk])
    await run('debugfs', ['-w', '-R', 'set_inode_field / mode 041777', disk])
  }
}
