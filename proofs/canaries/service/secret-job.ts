import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encryptSecret } from '@sandbox-jobs/contract/client/encrypt-secret.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { build, submit, type Tenant } from '../../../e2e/main-job/tenant.ts'
import { canariesWith } from '../canary.ts'

/** How a run ends; `echoes` prints its input first. A search runs while lasting runs are alive. */
export type RunEnd = 'lasts' | 'exits' | 'aborts' | 'completes' | 'echoes'

/** The command of a lasting run when it has printed its secrets. */
export const lastingCommand = ['sleep', '10000']
const slotPrefix = 'CANARY_'

/** Prints every value in some forms, which the log has to mask, and ends as its input says. */
const workScriptOf = (slots: readonly string[]) => `
for name in ${slots.join(' ')}; do
  eval "value=\\$$name"
  [ -n "$value" ] || exit 9
  printf 'value %s\\n' "$value"
  printf '%s' "$value" | base64
  printf '%s' "$value" | xxd -p
done
env
read -r input < "$SERVICE_INPUTS_FILE"
case $input in
  *lasts*) ${lastingCommand.join(' ')} ;;
  *exits*) exit 3 ;;
  *aborts*) kill -ABRT $$ ;;
  *echoes*) cat "$SERVICE_INPUTS_FILE" ;;
esac
`

/** A task with a slot for each shape of canary. Its values come from the room that borrows it, as clients store them. */
export class SecretJob {
  readonly tenant: Tenant
  readonly version: TaskVersion
  readonly #stem: string

  private constructor(tenant: Tenant, version: TaskVersion, stem: string) {
    this.tenant = tenant
    this.version = version
    this.#stem = stem
  }

  static async publish(tenant: Tenant, stem: string): Promise<SecretJob> {
    const { client, companyId, room } = tenant
    const names = Object.keys(canariesWith(stem)).map((name) => `${slotPrefix}${name}`)
    const { id } = await client.call(allRoutes.createTask, {
      body: { name: 'canaries', owner_scope: 'company', owner_id: companyId },
    })
    const draft = await client.call(allRoutes.createTaskVersion, {
      params: { id },
      body: {
        environment_version_id: await environmentOf(tenant),
        work_script: workScriptOf(names),
        timeout_seconds: 300,
        secret_slot_declarations: names.map((name) => ({ name })),
      },
    })
    const version = await client.call(allRoutes.publishTaskVersion, { params: { id, vid: draft.id } })
    await client.call(allRoutes.createShare, {
      params: { id },
      body: { target_kind: 'chatroom', target_id: room },
    })
    await client.call(allRoutes.enableGrantedJob, { params: { cid: room, tid: id } })
    const job = new SecretJob(tenant, version, stem)
    await job.#write(allRoutes.createSecret)
    await client.call(allRoutes.createSecretApproval, {
      body: {
        ...job.consumer,
        task_version_id: version.id,
        task_version_digest: version.canonical_digest,
        slot_names: names,
        risk_accepted: true,
      },
    })
    return job
  }

  get consumer() {
    const { room } = this.tenant
    return { consumer_scope: 'chatroom', consumer_id: room, task_id: this.version.task_id } as const
  }

  /** Replaces every value. */
  rotate(): Promise<void> {
    return this.#write(allRoutes.rotateSecret)
  }

  async revoke(): Promise<void> {
    for (const slot_name of this.#slots().keys())
      await this.tenant.client.call(allRoutes.revokeSecret, {
        body: { ...this.consumer, slot_name },
        idempotencyKey: randomUUID(),
      })
  }

  submit(end: RunEnd, more = ''): Promise<RunDetail> {
    return submit(this.tenant, this.version.id, { end, more })
  }

  async cancel({ id: rid }: Pick<RunDetail, 'id'>): Promise<void> {
    await this.tenant.client.call(allRoutes.cancelRun, { params: { cid: this.tenant.room, rid } })
  }

  async #write(route: typeof allRoutes.createSecret | typeof allRoutes.rotateSecret): Promise<void> {
    const { client } = this.tenant
    const publicKey = await client.call(allRoutes.readPublicKey)
    for (const [slot_name, value] of this.#slots())
      await client.call(route, {
        body: { ...this.consumer, slot_name, encrypted_value: await encryptSecret(publicKey, value) },
        idempotencyKey: randomUUID(),
      })
  }

  #slots(): Map<string, string> {
    return new Map(
      Object.entries(canariesWith(this.#stem)).map(([name, value]) => [`${slotPrefix}${name}`, value]),
    )
  }
}

/** An almost empty image: the sandbox brings the shell. */
async function environmentOf(tenant: Tenant): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'canaries-context-'))
  try {
    await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY note /note\n')
    await writeFile(join(folder, 'note'), 'nothing else is needed\n')
    const { vid, attempt } = await build(tenant, folder)
    if (attempt.status !== 'completed') throw new Error(`the image is not built: ${JSON.stringify(attempt)}`)
    return vid
  } finally {
    await rm(folder, { recursive: true })
  }
}
