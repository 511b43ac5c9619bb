import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { processUse } from '../../../agent/host/process-use.ts'
import '../../builds/chain/build-metrics.ts'
import '../../http/requests/request-metrics.ts'
import '../../notifications/delivery-metrics.ts'
import '../../runs/model/run-metrics.ts'
import '../backup/backup-metrics.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { FakeExecutor } from '../../../testing/fake-executor/fake-executor.ts'
import { unpackedPackage } from '../../../testing/unpacked-package.ts'
import { createLog } from '../../base/logging.ts'
import { listenForMetrics } from '../../main/api/metrics-listener.ts'
import { startWorkerMetrics } from '../../main/loops/worker-metrics.ts'
import { freePort } from '../../postgres/free-port.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')
const rules = join(root, 'examples/monitoring/alerts.yml')
const debian = await unpackedPackage('prometheus')
const [prometheus, promtool] = [join(debian, 'usr/bin/prometheus'), join(debian, 'usr/bin/promtool')]
const folder = await mkdtemp(join(tmpdir(), 'sandbox-monitoring-'))
afterAll(() => rm(folder, { recursive: true }))
const log = createLog('test', 'silent')

interface Rule {
  alert: string
  expr: string
}
const alerts: Rule[] = parse(await readFile(rules, 'utf8')).groups[0].rules

/** Series with which each alert fires, and no other. */
const troubles: Record<string, Record<string, string>> = {
  SandboxDown: { 'up{job="sandbox-jobs"}': '0x60' },
  SandboxDatabaseDown: { sandbox_database_up: '0x60' },
  SandboxProcessSilent: { 'sandbox_process_report_age_seconds{reporter="worker"}': '31x60' },
  SandboxHostAgentDown: { sandbox_host_agent_up: '0x60' },
  SandboxDiskLow: {
    'sandbox_data_folder_bytes{bytes="free"}': '11x60',
    'sandbox_data_folder_bytes{bytes="floor"}': '4x60',
  },
  SandboxCompanyWaits: { 'sandbox_oldest_queued_run_seconds{company="waiting"}': '121x60' },
  SandboxRunsWait: { 'sandbox_oldest_queued_run_seconds{company="active"}': '1801x60' },
  SandboxBuildsWait: { sandbox_oldest_queued_build_seconds: '1801x60' },
  SandboxRunsFail: {
    'sandbox_runs_ended_total{state="platform_failed",error="host_lost"}': '0+1x60',
    'sandbox_runs_ended_total{state="completed"}': '0+18x60',
  },
  SandboxServerErrors: {
    'sandbox_http_requests_total{status="5xx"}': '0+2x60',
    'sandbox_http_requests_total{status="2xx"}': '0+190x60',
  },
  SandboxDatabaseWaits: { 'sandbox_database_connections{state="waiting"}': '11x60' },
  SandboxEventLoopSlow: { nodejs_eventloop_lag_p99_seconds: '0.6x60' },
  SandboxAuditLate: { sandbox_audit_lag_seconds: '301x60' },
  SandboxBackupFails: { sandbox_backup_failing: '1x60' },
  SandboxBackupOld: { sandbox_last_backup_timestamp_seconds: '-110000x60' },
  SandboxBackupCopyFails: { sandbox_backup_copy_failing: '1x60' },
  SandboxBackupTrialFails: { sandbox_backup_trial_failing: '1x60' },
  SandboxLogArchiveFails: { sandbox_wal_archive_failing: '1x60' },
  SandboxDeliveriesFail: {
    'sandbox_delivery_tries_total{kind="mail",outcome="failed"}': '0+3x60',
    'sandbox_delivery_tries_total{kind="mail",outcome="sent"}': '0+2x60',
  },
}
/** The same series of a service that works. */
const well: Record<string, string> = {
  'up{job="sandbox-jobs"}': '1x60',
  sandbox_database_up: '1x60',
  'sandbox_process_report_age_seconds{reporter="worker"}': '5x60',
  sandbox_host_agent_up: '1x60',
  'sandbox_data_folder_bytes{bytes="free"}': '13x60',
  'sandbox_data_folder_bytes{bytes="floor"}': '4x60',
  'sandbox_oldest_queued_run_seconds{company="waiting"}': '100x60',
  'sandbox_oldest_queued_run_seconds{company="active"}': '1700x60',
  sandbox_oldest_queued_build_seconds: '1700x60',
  'sandbox_runs_ended_total{state="platform_failed",error="host_lost"}': '0+1x60',
  'sandbox_runs_ended_total{state="completed"}': '0+20x60',
  'sandbox_http_requests_total{status="5xx"}': '0+1x60',
  'sandbox_http_requests_total{status="2xx"}': '0+110x60',
  'sandbox_database_connections{state="waiting"}': '9x60',
  nodejs_eventloop_lag_p99_seconds: '0.4x60',
  sandbox_audit_lag_seconds: '200x60',
  sandbox_backup_failing: '0x60',
  sandbox_backup_trial_failing: '0x60',
  sandbox_wal_archive_failing: '0x60',
  sandbox_last_backup_timestamp_seconds: '-100000x60',
  'sandbox_delivery_tries_total{kind="mail",outcome="failed"}': '0+2x60',
  'sandbox_delivery_tries_total{kind="mail",outcome="sent"}': '0+3x60',
}

test('each alert fires for its trouble, and none for a service that works', async () => {
  expect(alerts.map(({ alert }) => alert).toSorted()).toEqual(Object.keys(troubles).toSorted())
  const series = (values: Record<string, string>) =>
    Object.entries(values).map(([name, each]) => ({ series: name, values: each }))
  const firing = (name: string) => ({
    eval_time: '59m',
    expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
    exp_samples: name === '' ? [] : [{ labels: `{alertname="${name}"}`, value: 1 }],
  })
  const cases = [['', {}] as const, ...Object.entries(troubles)]
  const tests = cases.map(([name, trouble]) => ({
    interval: '1m',
    input_series: series({ ...well, ...trouble }),
    promql_expr_test: [firing(name)],
  }))
  const path = join(folder, 'tests.yml')
  await writeFile(path, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }))
  const { stdout } = await run(promtool, ['test', 'rules', path])
  expect(stdout).toContain('SUCCESS')
})

test('the operations page says what to do for each alert', async () => {
  const text = await readFile(join(root, 'docs/operations/metrics.md'), 'utf8')
  const listed = [...text.matchAll(/^\| `(Sandbox\w+)` \|/gm)].map(([, name]) => name)
  expect(listed).toEqual(alerts.map(({ alert }) => alert))
})

test('a real Prometheus scrapes the service, knows every metric of rules and dashboard, and an alert fires', async () => {
  const { db } = await createTestDatabase()
  const executor = new FakeExecutor(async () => ({}))
  const [worker] = startWorkerMetrics({
    ...{ db, executorId: '1'.repeat(32), executor, log, slots: { total: 4, used: () => 1 } },
    agent: { process: async () => processUse() },
    config: {
      dataDir: '/',
      diskFloorBytes: undefined,
      metricsListen: '127.0.0.1:9464',
      backupFolder: undefined,
    },
  })
  const [port, ownPort] = [await freePort(), await freePort()]
  const listener = await listenForMetrics(`127.0.0.1:${port}`, db, log)
  const dashboard = await readFile(join(root, 'examples/monitoring/dashboard.json'), 'utf8')
  const used = new Set(
    [...alerts.map(({ expr }) => expr), dashboard].flatMap(
      (text) => text.match(/\b(sandbox|nodejs|process)_[a-z0-9_]+/g) ?? [],
    ),
  )
  const scrape = { job_name: 'sandbox-jobs', static_configs: [{ targets: [`127.0.0.1:${port}`] }] }
  // Without a pause before it fires.
  await writeFile(
    join(folder, 'alerts.yml'),
    (await readFile(rules, 'utf8')).replaceAll(/ for: \w+/g, ' for: 0s'),
  )
  await writeFile(
    join(folder, 'prometheus.yml'),
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['alerts.yml'],
      scrape_configs: [scrape],
    }),
  )
  const options = {
    '--config.file': 'prometheus.yml',
    '--storage.tsdb.path': 'data',
    '--web.listen-address': `127.0.0.1:${ownPort}`,
  }
  const server = spawn(
    prometheus,
    Object.entries(options).map(([name, value]) => `${name}=${value}`),
    {
      cwd: folder,
      stdio: 'ignore',
    },
  )
  const ended = once(server, 'exit')
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${ownPort}/api/v1/${path}`)
    return ((await answer.json()) as { data: never }).data
  }
  try {
    await eventually(async () => {
      const { activeTargets } = (await ask('targets')) as {
        activeTargets: { health: string; lastError: string }[]
      }
      expect(activeTargets.map(({ health, lastError }) => [health, lastError])).toEqual([['up', '']])
    })
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const families = new Set([...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
    const familyOf = (name: string) => name.replace(/_(total|bucket|count|sum)$/, '')
    expect([...used].filter((name) => !families.has(name) && !families.has(familyOf(name)))).toEqual([])
    await worker?.stop()
    await sql`update process_metrics set reported_at = now() - interval '40 seconds'`.execute(db)
    await eventually(async () => {
      const found = (await ask('alerts')) as { alerts: { labels: { alertname: string }; state: string }[] }
      const firing = found.alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => labels.alertname)
      expect(firing).toContain('SandboxProcessSilent')
    })
  } finally {
    server.kill('SIGKILL')
    await ended
    await worker?.stop()
    await listener.close()
  }
})
