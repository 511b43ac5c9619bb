import { type ChildProcess, execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { planText, type ShimPlan } from '../../agent/bundle/shim-plan.ts'
import { ProcfsOverlayFolders } from '../../agent/core/make/procfs-folders.ts'
import { planMessage } from '../../agent/core/shim/plan-message.ts'
import { detectCgroups } from '../../agent/host/cgroup-layout.ts'
import { planCgroups, prepareCgroups, removeCgroups } from '../../agent/host/cgroups.ts'
import { stagingFolder } from '../../agent/host/paths.ts'
import { installedPrograms } from '../../server/native-programs/installed.ts'
import { shellJob } from './test-agent.ts'

const parent = `sandbox-jobs-test-shim-${process.pid}`

/** For tests: a real shim without an agent. */
export class StandaloneShim {
  /** A plan whose runtime exits at once. */
  readonly plan: ShimPlan
  /** A folder that can be used as a layer. */
  readonly layer: string
  readonly #folder: string
  readonly #program: string

  private constructor(folder: string, program: string, plan: ShimPlan) {
    this.#folder = folder
    this.#program = program
    this.plan = plan
    this.layer = join(folder, 'layer')
  }

  static async make(): Promise<StandaloneShim> {
    const folder = await mkdtemp(join(tmpdir(), 'lone-shim-'))
    const { shim } = installedPrograms(join(folder, 'native'), ['shim'])
    const cgroups = await detectCgroups()
    if (!cgroups) throw new Error('this machine has no control groups')
    await prepareCgroups(cgroups, parent, totalmem())
    await mkdir(stagingFolder, { recursive: true, mode: 0o711 })
    await mkdir(join(folder, 'layer/workspace'), { recursive: true })
    const spec = shellJob(`sha256:${'0'.repeat(64)}`, 'true')
    const own = await ProcfsOverlayFolders.at(join(folder, 'proc'))
    return new StandaloneShim(folder, shim, {
      name: 'sandbox',
      spec,
      idBase: 0x7000_0000,
      staging: stagingFolder,
      viewFolder: await own.folder({ cpus: 1, memoryBytes: spec.limits.memoryBytes }),
      command: ['/bin/false'],
      environment: undefined,
      cgroups: planCgroups(cgroups, parent, { name: 'sandbox', limits: spec.limits, cpus: [0] }),
      lowers: [{ diskIdBase: 0, path: join(folder, 'layer') }],
      baseImages: undefined,
      link: undefined,
      collectLock: undefined,
      workspace: { kind: 'memory' },
    })
  }

  /** Runs the shim with the plan `text` and the input of a runtime. Returns its record and the head of its log. */
  async run(
    text = planText(this.plan),
    { config = '{}', description = '' }: { config?: string; description?: string } = {},
    onStart: (shim: ChildProcess) => void = () => undefined,
  ): Promise<{ cause: string; detail: string; log: string }> {
    const folder = await mkdtemp(join(this.#folder, 'sandbox-'))
    await writeFile(join(folder, 'ticket.json'), '{}')
    await writeFile(join(folder, 'config.json'), config)
    await new Promise((resolve) => {
      const child = execFile(this.#program, [folder], resolve)
      child.stdin?.on('error', () => undefined).write(planMessage(text, description))
      onStart(child)
    })
    const log = await readFile(join(folder, 'log.head'), 'utf8').catch(() => '')
    return { ...JSON.parse(await readFile(join(folder, 'exit.json'), 'utf8')), log }
  }

  async dispose(): Promise<void> {
    const cgroups = await detectCgroups()
    if (cgroups) await removeCgroups(cgroups, parent)
    await rm(this.#folder, { recursive: true })
  }
}
