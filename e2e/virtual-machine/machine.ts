import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { runQemu } from '../cgroup-v2/qemu.ts'
import { makeDebianRoot, rootEnvironment } from '../first-hour/debian-root.ts'

const run = promisify(execFile)
const guest = resolve(import.meta.dirname, 'guest')
/** npm, since its installation alone takes a quarter of an hour under emulation. */
const packages = 'dbus git iproute2 linux-image-cloud-amd64 nodejs npm systemd-sysv udev'.split(' ')
const diskBytes = 32 * 2 ** 30
/** The resolver of qemu's user network. */
const resolver = 'nameserver 10.0.2.3\n'

export interface MachineOptions {
  /** qemu's accelerator: `tcg` or `kvm`. */
  accel: string
  memoryMib: number
}

/** A virtual machine with a newly made Debian of its own: its kernel, its systemd, and version 2 of control groups only. */
export class Machine {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** Makes the machine's disk. Once it has started, it runs `commands` in a clone of this checkout, as root. */
  static async make(suite: string, commands: readonly string[]): Promise<Machine> {
    // On disk: /tmp may be memory.
    const folder = await mkdtemp('/var/tmp/virtual-machine-')
    const machine = new Machine(folder)
    try {
      await makeDebianRoot(machine.#root, suite, packages)
      await machine.#addCommands(commands)
      await truncateNew(machine.#disk, diskBytes)
      await run('mkfs.ext4', ['-q', '-m', '0', '-d', machine.#root, machine.#disk])
    } catch (error) {
      await machine.dispose()
      throw error
    }
    return machine
  }

  /** Runs the machine until it powers off. Returns the lines of its console. */
  async run({ accel, memoryMib }: MachineOptions, onLine: (line: string) => void): Promise<string[]> {
    const boot = join(this.#root, 'boot')
    const files = await readdir(boot)
    const bootFile = (prefix: string) => join(boot, files.find((name) => name.startsWith(prefix)) ?? prefix)
    const options = [
      ...['-m', String(memoryMib)],
      ...['-nic', 'user,model=virtio-net-pci'],
      ...['-kernel', bootFile('vmlinuz-'), '-initrd', bootFile('initrd.img-')],
      ...['-append', 'root=/dev/vda rw console=ttyS0 quiet panic=-1 systemd.show_status=0'],
      ...['-drive', `file=${this.#disk},format=raw,if=virtio,cache=unsafe`],
    ]
    return runQemu(accel, options, onLine)
  }

  async dispose(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  get #root(): string {
    return join(this.#folder, 'root')
  }

  get #disk(): string {
    return join(this.#folder, 'disk.img')
  }

  async #addCommands(commands: readonly string[]): Promise<void> {
    const etc = join(this.#root, 'etc')
    const trial = join(etc, 'sandbox-trial')
    await mkdir(trial)
    await writeFile(join(trial, 'commands'), commands.map((command) => `${command}\n`).join(''))
    const environment = Object.entries(rootEnvironment).map(([name, value]) => `${name}=${value}\n`)
    await writeFile(join(trial, 'environment'), environment.join(''))
    await cp(join(guest, 'commands.sh'), join(trial, 'commands.sh'))
    await cp(join(guest, 'commands.service'), join(etc, 'systemd/system/commands.service'))
    await cp(join(guest, '10-user.network'), join(etc, 'systemd/network/10-user.network'))
    await writeFile(join(etc, 'resolv.conf'), resolver)
    // A login prompt would take the console from the commands.
    await symlink('/dev/null', join(etc, 'systemd/system/serial-getty@ttyS0.service'))
    const wanted = join(etc, 'systemd/system/multi-user.target.wants')
    await symlink('/etc/systemd/system/commands.service', join(wanted, 'commands.service'))
    await symlink(
      '/usr/lib/systemd/system/systemd-networkd.service',
      join(wanted, 'systemd-networkd.service'),
    )
  }
}

async function truncateNew(path: string, bytes: number): Promise<void> {
  await writeFile(path, '')
  await truncate(path, bytes)
}
