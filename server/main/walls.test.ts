import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  childrenOf,
  removeControlGroups,
  type StartedService,
  startedService,
} from '../../testing/started-service.ts'
import { readConfig } from '../base/config/config.ts'
import { type Account, asAccount } from '../postgres/account.ts'
import { freePort } from '../postgres/free-port.ts'
import { runningPostgresUrl, runningServiceUrls } from '../postgres/running.ts'
import { serviceAccounts } from './supervisor/host/service-accounts.ts'

/* Parts of other processes that code in one process of the service can reach, tried by programs under that account. */

const operatorListen = `127.0.0.1:${await freePort()}`
const settings = { SANDBOX_OPERATOR_LISTEN: operatorListen }
const accounts = serviceAccounts(readConfig(settings))
const parent = mkdtempSync('/var/tmp/sandbox-walls-')
const dataDir = join(parent, 'data')
const at = (name: string) => join(dataDir, name)

let service: StartedService
const pids: Record<string, number> = {}

beforeAll(async () => {
  await chmod(parent, 0o755)
  service = await startedService(dataDir, await freePort(), { settings })
  for (const pid of childrenOf(service.child.pid ?? 0)) {
    const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const role = /([a-z]+)\.mjs$/.exec(argv.find((part) => part.endsWith('.mjs')) ?? '')?.[1]
    if (role) pids[role] = pid
    if (argv[0]?.endsWith('bin/postgres')) pids.postgres = pid
  }
  for (const pid of childrenOf(pids.worker ?? 0))
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('builds.mjs')) pids.builds = pid
})
afterAll(async () => {
  service.child.kill('SIGTERM')
  await service.exited
  rmSync(parent, { recursive: true, force: true })
  removeControlGroups(dataDir)
})

/** One attempt per line: its name, the operation, and the path or process. */
const program = `
import { closeSync, linkSync, mkdirSync, openSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
const ways = {
  read: (path) => readFileSync(path),
  list: (path) => readdirSync(path),
  open: (path) => closeSync(openSync(path, 'r+')),
  write: (path) => writeFileSync(path + '/planted-' + process.pid, ''),
  move: (path) => { renameSync(path, path + '.away'); renameSync(path + '.away', path) },
  signal: (path) => process.kill(Number(path), 0),
  connect: (path) => new Promise((resolve, reject) => connect(path).once('error', reject).once('connect', function () { this.destroy(); resolve() })),
}
const results = {}
for (const [way, path] of JSON.parse(process.argv[1])) {
  try { await ways[way](path); results[way + ' ' + path] = 'done' } catch (error) { results[way + ' ' + path] = error.code }
}
console.log(JSON.stringify(results))`

type Attempt = [way: string, path: string]

/** The results of the attempts of a program that runs as that user, with the groups that the service gives it. */
async function attemptsOf(
  account: Account | undefined,
  attempts: Attempt[],
): Promise<Record<string, string>> {
  const node = [process.execPath, '--input-type=module', '-e', program, JSON.stringify(attempts)]
  const [command = '', ...args] = account ? asAccount(account, node) : node
  const { stdout } = await promisify(execFile)(command, args, { cwd: '/', env: {} })
  return JSON.parse(stdout)
}

/** Files of the service that belong to one account each. */
const belongings = (): Record<'api' | 'worker' | 'operator' | 'postgres' | 'root', Attempt[]> => ({
  api: [
    ['read', at('keys/api/root.key')],
    ['read', at('keys/api/token-signing.pem')],
    ['list', at('keys/api')],
    ['write', at('compiled/api')],
  ],
  worker: [
    ['read', at('keys/image-signing/signing.pem')],
    ['write', at('keys/image-signing/trusted')],
    ['write', at('compiled/worker')],
    ['connect', at('run/agent.sock')],
  ],
  operator: [
    ['write', at('compiled/operator')],
    ['read', at('logs/api.log')],
  ],
  postgres: [
    ['read', at('postgres/cluster/PG_VERSION')],
    ['write', at('postgres/cluster/base')],
  ],
  root: [
    ['read', at('postgres/superuser-password')],
    ['read', at('postgres/password')],
    ['read', at('postgres/api-password')],
    ['read', at('postgres/worker-password')],
    ['read', at('postgres/operator-password')],
    ['list', at('agent')],
    ['move', at('keys/image-signing')],
    ['move', at('keys/api')],
    ['write', at('keys')],
    ['write', at('run')],
    ['write', at('packed')],
    ['write', at('native')],
  ],
})

/** Attempts on a process: read its environment and memory, and kill it. */
const processes = (...roles: string[]): Attempt[] =>
  roles.flatMap((role): Attempt[] => [
    ['read', `/proc/${pids[role]}/environ`],
    ['open', `/proc/${pids[role]}/mem`],
    ['list', `/proc/${pids[role]}/fd`],
    ['signal', `${pids[role]}`],
  ])

const refused = ['EACCES', 'EPERM']
const outcomes = (results: Record<string, string>) => [...new Set(Object.values(results))]

describe('a program under the account of', () => {
  test('each part has access to its own files, or the tests below would prove nothing', async () => {
    const own = belongings()
    for (const role of ['api', 'worker', 'operator', 'postgres'] as const) {
      expect(outcomes(await attemptsOf(accounts[role], own[role]))).toEqual(['done'])
    }
    expect(outcomes(await attemptsOf(undefined, own.root))).toEqual(['done'])
    for (const role of ['api', 'worker'] as const) {
      expect(outcomes(await attemptsOf(accounts[role], [['write', at('objects')]]))).toEqual(['done'])
    }
  })

  const walls = {
    api: {
      others: ['worker', 'operator', 'postgres', 'root'],
      processes: ['worker', 'builds', 'operator', 'agent', 'postgres'],
    },
    worker: {
      others: ['api', 'operator', 'postgres', 'root'],
      processes: ['api', 'operator', 'agent', 'postgres'],
    },
    operator: {
      others: ['api', 'worker', 'postgres', 'root'],
      processes: ['api', 'worker', 'builds', 'agent', 'postgres'],
    },
    postgres: {
      others: ['api', 'worker', 'operator', 'root'],
      processes: ['api', 'worker', 'builds', 'operator', 'agent'],
    },
    reader: {
      others: ['api', 'worker', 'operator', 'postgres', 'root'],
      processes: ['api', 'worker', 'builds', 'operator', 'agent', 'postgres'],
    },
  } as const
  for (const [role, { others, processes: of }] of Object.entries(walls)) {
    test(`${role} cannot access files, sockets and processes of the others`, async () => {
      const own = belongings()
      const sharesObjects = role === 'api' || role === 'worker'
      const objects: Attempt[] = sharesObjects ? [] : [['list', at('objects')]]
      const attempts = [...others.flatMap((other) => own[other]), ...processes(...of), ...objects]
      const results = await attemptsOf(accounts[role as keyof typeof walls], attempts)
      expect(Object.entries(results).filter(([, outcome]) => !refused.includes(outcome))).toEqual([])
      expect(Object.keys(results)).toHaveLength(attempts.length)
    })
  }

  test('the same part cannot read its own memory, environment and descriptors from outside', async () => {
    for (const role of ['api', 'worker', 'operator', 'postgres'] as const) {
      const results = await attemptsOf(accounts[role], processes(role).slice(0, 3))
      expect(outcomes(results)).toEqual(['EACCES'])
    }
    const ofBuilds = await attemptsOf(accounts.worker, processes('builds').slice(0, 3))
    expect(outcomes(ofBuilds)).toEqual(['EACCES'])
  })
})

describe('in the database', () => {
  const query = async (url: string, sql: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return await client.query(sql).then(
        () => 'done',
        (error: { code: string }) => error.code,
      )
    } finally {
      await client.end()
    }
  }
  const denied = '42501'
  const urls = async () => {
    const found = await runningServiceUrls(at('postgres'))
    const owner = await runningPostgresUrl(at('postgres'))
    if (!found || !owner) throw new Error('no database')
    return { ...found, owner }
  }

  test('API and worker read and write rows, and cannot change schema, rights or the operator audit log', async () => {
    const { api, worker, owner } = await urls()
    const forbidden = [
      'create table mine (a int)',
      'alter table runs add column mine int',
      'alter table runs disable trigger all',
      'truncate runs',
      'grant select on operator_acts to public',
      'set role sandbox_jobs',
      'set role postgres',
      'select rolpassword from pg_authid',
      "copy (select 1) to program 'true'",
      "select pg_read_file('PG_VERSION')",
      'select * from operator_acts',
      'select * from audit_pending',
      'select * from operator_codes',
      'select * from operator_sign_ins',
      'delete from audit_pending',
      'select * from audit_salt',
      "insert into audit_entries select * from audit_entries where company_id = 'x'",
      'update audit_entries set sequence = 1',
      'delete from audit_entries',
      'update audit_chains set sequence = 1',
      'delete from audit_heads',
      'delete from kysely_migration',
      'create role mine',
      'create temporary table mine (a int)',
      'create database mine',
    ]
    for (const url of [api, worker]) {
      expect(await query(url, 'select 1 from runs')).toBe('done')
      expect(await query(url, 'delete from runs where false')).toBe('done')
      const use =
        "insert into audit_pending (company_id, change, object_type, object_id) select '', '', '', '' where false"
      expect(await query(url, use)).toBe('done')
      for (const sql of forbidden) expect([sql, await query(url, sql)]).toEqual([sql, denied])
    }
    expect(await query(owner, 'select * from operator_acts')).toBe('done')
    const chaining = ['select chain_audit_entries(1)', "select trim_audit_entries('x', now(), 1, 1)"]
    for (const sql of chaining) {
      expect([sql, await query(api, sql), await query(worker, sql)]).toEqual([sql, denied, 'done'])
    }
    for (const sql of ["update audit_heads set hash = '' where false", 'select * from audit_heads']) {
      expect(await query(worker, sql)).toBe('done')
    }
    expect(await query(api, "update audit_heads set hash = ''")).toBe(denied)
  })

  test('the worker cannot read credentials', async () => {
    const { api, worker } = await urls()
    for (const sql of [
      'select password_hash from users',
      'select key_hash from api_keys',
      'select * from users',
    ]) {
      expect([await query(api, sql), await query(worker, sql)]).toEqual(['done', denied])
    }
    for (const sql of ['delete from api_keys', 'update users set role = 5']) {
      expect(await query(worker, sql)).toBe(denied)
    }
    expect(await query(worker, 'select id, disabled_at from users')).toBe('done')
  })

  test('the operator console counts work, spends codes, and reads nothing that tenants gave or got', async () => {
    const { operator, owner } = await urls()
    for (const sql of [
      'select company_id, state, queued_at from runs',
      'select id, name from companies',
      'delete from operator_codes',
      'delete from operator_sign_ins',
      "insert into operator_acts (account, act, subject, details) values ('x', 'company_set', '', '{}')",
      'select * from operator_acts',
      'update company_settings set queued_run_limit = 5',
      'update gateway_keys set revoked_at = now()',
      'select * from build_fence',
      'delete from build_fence',
      'delete from kill_switch',
      "insert into run_end_requests (company_id, run_id, account) select id, 'run_none', 'x' from companies",
      `insert into run_end_requests (company_id, run_id, account) select id, 'run_none', 'y' from companies
        where (select count(*) from run_end_requests where run_id is distinct from 'run_none') < 5
        on conflict (company_id, run_id) do update set requested_at = clock_timestamp(), account = 'y'`,
      'select company_id, day, egress_bytes from usage_days',
      'select count(company_id) from run_refusals',
    ]) {
      expect([sql, await query(operator, sql)]).toEqual([sql, 'done'])
    }
    const readWhole =
      /^(operator_(acts|codes|sign_ins)|build_fence|kill_switch|company_budgets|budget_(spend|changes)|price_lists|prices|blocked_digests)$/
    const emptied = /^(operator_(codes|sign_ins)|build_fence|kill_switch|company_budgets)$/
    const tables = "select tablename from pg_tables where schemaname = 'public'"
    const client = new pg.Client({ connectionString: owner })
    await client.connect()
    const { rows } = await client.query(tables)
    await client.end()
    const names = rows.map(({ tablename }) => String(tablename))
    expect(names.length).toBeGreaterThan(80)
    for (const table of names) {
      // A table whose columns are all readable would let one more column in unseen.
      if (!readWhole.test(table))
        expect([table, await query(operator, `select * from ${table}`)]).toEqual([table, denied])
      if (!emptied.test(table))
        expect([table, await query(operator, `delete from ${table}`)]).toEqual([table, denied])
    }
    for (const sql of [
      "insert into operator_codes values (sha256(''), 'x', now())",
      "update operator_sign_ins set account = 'x'",
      "update operator_acts set account = 'x'",
      'update company_settings set run_content_retention_days = 1',
      'select key_hash from gateway_keys',
      "update gateway_keys set name = 'x'",
      'select input_digest from runs',
      "update runs set state = 'cancelled'",
      'select account from run_end_requests',
      "update run_end_requests set run_id = 'x'",
      'select entries from run_refusals',
      'create table mine (a int)',
      'set role sandbox_jobs_api',
    ]) {
      expect([sql, await query(operator, sql)]).toEqual([sql, denied])
    }
  })
})

describe('a role that dies', () => {
  test('dumps no core, not even to a core handler, and no signal opens its debugger', async () => {
    for (const role of ['api', 'worker', 'builds', 'operator', 'agent', 'postgres']) {
      expect(readFileSync(`/proc/${pids[role]}/limits`, 'utf8')).toMatch(/^Max core file size +1 +1 /m)
      if (role !== 'postgres')
        expect(readFileSync(`/proc/${pids[role]}/cmdline`, 'utf8')).toContain('\0--disable-sigusr1\0')
    }
    const cwd = `/proc/${pids.api}/cwd`
    expect(existsSync(join(cwd, 'core'))).toBe(false)
    const { api = 0 } = pids
    const root = (await promisify(execFile)('readlink', [cwd])).stdout.trim()
    process.kill(api, 'SIGUSR1')
    process.kill(api, 'SIGSEGV')
    await expect.poll(() => service.lines.filter((line) => line.includes('api')).join('\n')).toMatch(/ended/)
    expect(existsSync(join(root, 'core'))).toBe(false)
    expect(existsSync(join(root, `core.${api}`))).toBe(false)
    expect(readFileSync(at('logs/api.log'), 'utf8')).not.toContain('Debugger listening')
  })
})
