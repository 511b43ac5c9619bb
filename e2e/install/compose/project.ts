import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireParts } from '../../first-hour/step.ts'
import { room } from '../waiting-task.ts'
import type { Engine } from './engine.ts'

const address = 'http://127.0.0.1:8080'
const ready = ['curl', '--silent', '--fail', `${address}/ready`]
const company = '/usr/share/doc/sandbox-jobs/examples/company.yaml'
const person = 'ada'
const pauseMs = 500

/** A task that says how it is confined, or waits for an hour. */
const work = `if grep -q '"wait"' "$SERVICE_INPUTS_FILE"; then exec sleep 3600; fi
of() { sed -n "s/^$1:[[:space:]]*//p" /proc/self/status; }
printf '{"capabilities":"%s","seccomp":"%s","first":"%s","owner":"%s","data":"%s"}' "$(of CapEff)" "$(of Seccomp)" \\
  "$(head -c 14 /proc/1/cmdline)" "$(awk '{print $2}' /proc/self/uid_map)" \\
  "$(ls /var/lib/sandbox-jobs 2>/dev/null)" >"$SERVICE_OUTPUT_FILE"
`
const confined =
  /"capabilities":"0{16}".*"seccomp":"2".*"first":"\/\.sandbox\/init".*"owner":"1\d{9}".*"data":""/

const deployment = `set -e
cd /root && sandbox init words --template shell --room ${room} && cd words
sed -i 's/^timeout_seconds: .*/timeout_seconds: 3600/' task.yaml
cat >work.sh
sandbox deploy`

/** The service as its compose.yaml starts it, with acts of its operator by the `sandbox` command in the container. */
export class Project {
  readonly folder: string
  readonly #engine: Engine
  /** Of the person who deploys. */
  #password = ''

  constructor(engine: Engine) {
    this.#engine = engine
    this.folder = join(engine.folder, 'container')
  }

  compose(...argv: string[]): Promise<string> {
    return this.#engine.must('docker-compose', '--project-directory', this.folder, ...argv)
  }

  sandbox(...argv: string[]): Promise<string> {
    return this.compose('exec', '-T', 'sandbox-jobs', 'sandbox', ...argv)
  }

  /** Starts the container and waits until the service answers at the address on the host of the engine. */
  async up(): Promise<void> {
    await this.compose('up', '-d')
    await this.untilReady()
  }

  async untilReady(): Promise<void> {
    while ((await this.#engine.command(...this.#engine.host.onHost, ...ready)).code !== 0) {
      const state = await this.compose('ps')
      if (/Exit|Restarting/.test(state)) throw new Error(`${state}${await this.compose('logs')}`)
      await sleep(pauseMs)
    }
  }

  /** The builder, the example company and the task. */
  async deploy(): Promise<void> {
    await this.sandbox('operator', 'toolchain', 'install')
    const applied = JSON.parse(await this.sandbox('admin', 'apply', '--json', company)) as {
      passwords: { login: string; password: string }[]
    }
    this.#password = applied.passwords.find(({ login }) => login === person)?.password ?? ''
    await this.logIn()
    const id = (await this.compose('ps', '-q')).trim()
    const script = `printf '%s' "$1" | docker exec -i ${id} sh -c "$2"`
    await this.#engine.must('sh', '-c', script, 'sh', work, deployment)
  }

  /** Later commands in this container are the person's. */
  async logIn(): Promise<void> {
    const login = ['sandbox', 'login', '--user', person, '--url', address]
    await this.compose('exec', '-T', '-e', `SANDBOX_PASSWORD=${this.#password}`, 'sandbox-jobs', ...login)
  }

  /** Throws unless the task runs, and sees nothing of the container. */
  async requireIsolatedRun(): Promise<void> {
    const text = await this.sandbox('run', 'words', '--room', room, '--set', 'text=words', '--watch')
    requireParts(text, confined)
  }
}
