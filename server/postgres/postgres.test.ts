import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Postgres, type PostgresOptions, startPostgres } from './postgres.ts'

let dataDir: string
const started: Postgres[] = []

const start = async (options: Partial<PostgresOptions> = {}) => {
  const postgres = await startPostgres({ dataDir, ...options })
  started.push(postgres)
  return postgres
}

const query = async (url: string, sql: string) => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sandbox-postgres-'))
})
afterEach(async () => {
  for (const postgres of started.splice(0)) await postgres.stop()
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

describe('the embedded Postgres', () => {
  test('starts, keeps its rows and its port over a restart, and never runs as root', async () => {
    const first = await start()
    await query(first.url, 'create table kept as select 42 as answer')
    const status = await readFile(`/proc/${first.pid}/status`, 'utf8')
    expect(status).not.toMatch(/^Uid:\s+0/m)
    expect(status).toMatch(/^NoNewPrivs:\s+1/m)
    await first.stop()

    const second = await start()
    expect(second.port).toBe(first.port)
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  test('gives the service a role without superuser rights', async () => {
    const { url } = await start()
    expect(await query(url, `select current_setting('is_superuser') as superuser`)).toEqual([
      { superuser: 'off' },
    ])
    await expect(query(url, `copy (select 1) to program 'true'`)).rejects.toThrow(/permission denied/)
  })

  test('listens on loopback only, and refuses a wrong password', async () => {
    const { url, port } = await start()
    expect(await query(url, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }])
    const wrong = `postgres://sandbox_jobs:wrong@127.0.0.1:${port}/sandbox_jobs`
    await expect(query(wrong, 'select 1')).rejects.toThrow(/password authentication failed/)
  })

  test('refuses a folder that another server uses', async () => {
    await start()
    await expect(startPostgres({ dataDir })).rejects.toMatchObject({ slug: 'already_running' })
  })

  test('ignores the process id file of a dead server, even when the id is in use again', async () => {
    const first = await start()
    await first.stop()
    const pidFile = join(dataDir, 'cluster/postmaster.pid')
    await writeFile(pidFile, `${process.pid}\n${dataDir}/cluster\n1\n5432\n\n127.0.0.1\n1 1\nready\n`)
    const second = await start()
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('takes another port when the last one is in use, and fails if a configured one is', async () => {
    const { port } = await start().then(async (postgres) => {
      await postgres.stop()
      return postgres
    })
    const squatter = createServer()
    await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve))
    try {
      await expect(startPostgres({ dataDir, port })).rejects.toMatchObject({ slug: 'port_in_use' })
      const moved = await start()
      expect(moved.port).not.toBe(port)
    } finally {
      squatter.close()
    }
  })

  test('names both versions when the cluster is of another major version', async () => {
    const file = join(dataDir, 'cluster/PG_VERSION')
    const version = await readFile(file, 'utf8')
    await writeFile(file, '15\n')
    try {
      await expect(startPostgres({ dataDir })).rejects.toMatchObject({
        slug: 'version_mismatch',
        message: expect.stringContaining('Postgres 15'),
      })
    } finally {
      await writeFile(file, version)
    }
  })

  test('reports which setting Postgres refused', async () => {
    await expect(startPostgres({ dataDir, settings: { shared_buffers: 'plenty' } })).rejects.toMatchObject({
      slug: 'start_failed',
      message: expect.stringContaining('shared_buffers'),
    })
  })

  test('shuts down cleanly when the process that started it is killed', async () => {
    const module = new URL('./postgres.ts', import.meta.url).href
    const script = `const { startPostgres } = await import(${JSON.stringify(module)})
      const { pid } = await startPostgres({ dataDir: ${JSON.stringify(dataDir)} })
      console.log(pid)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const pid = await new Promise<string>((resolve) =>
      parent.stdout.once('data', (text) => resolve(String(text).trim())),
    )
    expect(await readlink(`/proc/${pid}/exe`)).toContain('bin/postgres')
    parent.kill('SIGKILL')
    const next = await start()
    expect(await query(next.url, 'select answer from kept')).toEqual([{ answer: 42 }])
    // A dead process has no executable, even before its exit status is collected.
    await expect(readlink(`/proc/${pid}/exe`)).rejects.toThrow()
  })
})

describe('as root', () => {
  test('names the parent folder that the service user cannot enter', async () => {
    const closed = await mkdtemp(join(tmpdir(), 'sandbox-closed-'))
    await chmod(closed, 0o700)
    try {
      await expect(startPostgres({ dataDir: join(closed, 'postgres') })).rejects.toMatchObject({
        slug: 'folder_unusable',
        message: expect.stringContaining(closed),
      })
    } finally {
      await rm(closed, { recursive: true })
    }
  })

  test('reports a missing system user', async () => {
    await expect(startPostgres({ dataDir, user: 'nobody-by-that-name' })).rejects.toMatchObject({
      slug: 'account_missing',
    })
  })
})
