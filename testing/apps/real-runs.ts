import { randomUUID } from 'node:crypto'
import { resultRoutes } from '@sandbox-jobs/contract/routes/result-routes.ts'
import { afterAll } from 'vitest'
import type { Principal } from '../../server/access/principal.ts'
import { systemClock } from '../../server/base/clock.ts'
import { createLog } from '../../server/base/logging.ts'
import type { BuildTools } from '../../server/builds/request/build.ts'
import { runCapacity } from '../../server/capacity/run-capacity.ts'
import { CallbackCredentials } from '../../server/custom-tables/callbacks/callback-credentials.ts'
import type { Database } from '../../server/db/database.ts'
import { StoredImages } from '../../server/images/stored-images.ts'
import { DatabaseLogUpdates } from '../../server/live-logs/log-updates.ts'
import { postgresRunQueue } from '../../server/runs/drive/run-queue.ts'
import { type RunWorker, startRunWorker } from '../../server/runs/drive/run-worker.ts'
import { PolicyOutputs } from '../../server/runs/parts/outputs/run-outputs.ts'
import { StoredRunSessions } from '../../server/sessions/runs/run-sessions.ts'
import { type AgentCommand, onDefaultRuntime, TestAgent, tarOf, waitUntil } from '../agent/test-agent.ts'
import { makeBuildTools } from '../build-tools.ts'
import { makeEnvironmentVersion } from '../factories/environment-version.ts'
import { makeRunnableTask, type RunnableTask } from '../factories/runs.ts'
import { makeSignedImage } from '../factories/signed-image.ts'
import { TestApi } from './test-api.ts'

/** The host that the runs are on; by default this machine, without a network. */
interface HostTraits {
  settings?: Record<string, string>
  command?: AgentCommand
  /** Bytes that a run may send. Absent: runs have no network. */
  egressCapBytes?: number
}

/** The API with a worker and a host agent that execute submitted runs in real sandboxes. */
export class RealRuns {
  readonly api: TestApi
  readonly #db: Database
  readonly #agent: TestAgent
  readonly #worker: RunWorker
  readonly #tools: BuildTools
  readonly #layer: Buffer

  private constructor(parts: {
    db: Database
    api: TestApi
    agent: TestAgent
    worker: RunWorker
    tools: BuildTools
    layer: Buffer
  }) {
    this.#db = parts.db
    this.api = parts.api
    this.#agent = parts.agent
    this.#worker = parts.worker
    this.#tools = parts.tools
    this.#layer = parts.layer
  }

  /** The instance ends with the tests of the file; call this before the tests are collected. */
  static async start({ db, url }: { db: Database; url: string }, host: HostTraits = {}): Promise<RealRuns> {
    const log = createLog('test', 'silent')
    const api = new TestApi(db, { logNews: new DatabaseLogUpdates({ url, log }) })
    const agent = await TestAgent.start({ ...onDefaultRuntime, ...host.settings }, host.command)
    const { outputs } = api.context
    outputs.key.prepare()
    const tools = makeBuildTools(db, { storage: api.storage, executor: agent.client })
    const worker = await startRunWorker({
      runs: postgresRunQueue(db, url, log),
      executor: agent.client,
      storage: api.storage,
      images: new StoredImages(tools),
      sessions: new StoredRunSessions({ db, storage: api.storage, clock: systemClock, log }),
      log,
      outputs: new PolicyOutputs(outputs, new CallbackCredentials(db, outputs.key)),
      egressCapBytes: host.egressCapBytes,
      driver: { executor: 'real-runs', worker: 'real-runs' },
      capacity: runCapacity({ slots: 4, reserved: 0 }),
      companyConcurrency: 50,
      pollIntervalMs: 50,
    })
    const layer = await tarOf([[{ name: 'data/', type: 'directory' }]])
    const runs = new RealRuns({ db, api, agent, worker, tools, layer })
    afterAll(() => runs.#stop())
    return runs
  }

  async #stop(): Promise<void> {
    try {
      await this.#worker.stop()
    } finally {
      await this.#agent.dispose()
    }
  }

  /** A published task of the company, shared to all of it, on an image without files. */
  async makeTask(
    companyId: string,
    work_script: string,
    fields: Parameters<typeof makeRunnableTask>[2] = {},
  ): Promise<RunnableTask> {
    const task = await makeRunnableTask(this.#db, companyId, { work_script, ...fields })
    await this.#giveImage(task.environmentVersionId, this.#layer)
    return task
  }

  /** A ready environment version of the company, on an image with this layer, or without files. */
  async makeVersion(companyId: string, layer = this.#layer): Promise<string> {
    const { id } = await makeEnvironmentVersion(this.#db, { companyId })
    await this.#giveImage(id, layer)
    return id
  }

  async #giveImage(versionId: string, layer: Buffer): Promise<void> {
    const image = await makeSignedImage(this.#tools, { versionId, layer })
    await this.#db
      .updateTable('environment_versions')
      .set({ layer_digest: image.layerDigest, promoted_digest: image.promotedDigest })
      .where('id', '=', versionId)
      .execute()
  }

  /** Sends SIGKILL to process 1 of the sandbox that runs. Waits until there is one whose program has started. */
  async killRunning(): Promise<void> {
    let id = ''
    await waitUntil(async () => {
      id = (await this.#agent.client.list()).find(({ state }) => state === 'running')?.id ?? ''
      return id !== '' && (await this.#agent.processes(id)).length > 1
    })
    process.kill(await this.#agent.firstProcess(id), 'SIGKILL')
  }

  /** Submits a run and waits for its end, over HTTP. */
  runAndWait(task: RunnableTask, who: Principal, roomId: string, body: Record<string, unknown> = {}) {
    return this.api.call(resultRoutes.runAndWait, who, {
      params: { cid: roomId },
      headers: { 'idempotency-key': randomUUID() },
      body: { task_version_id: task.versionId, input: {}, ...body },
    })
  }
}
