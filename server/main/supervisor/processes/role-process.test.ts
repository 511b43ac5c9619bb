import { mkdtemp, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exitCodes } from '../service-problem.ts'
import { Supervisor } from '../supervisor.ts'
import { RoleProcess, type RoleSpec } from './role-process.ts'

let folder: string
let said: string[]
let waiting: { text: string; done: () => void }[]

const tell = (line: string) => {
  said.push(line)
  for (const one of waiting) if (line.includes(one.text)) one.done()
}
const heard = (text: string) =>
  new Promise<void>((done) =>
    said.some((line) => line.includes(text)) ? done() : waiting.push({ text, done }),
  )

const events = {
  line: (role: string, line: string) => tell(`${role} > ${line}`),
  note: (role: string, text: string) => tell(`${role} ! ${text}`),
}

/** A role that is ready at once and logs a line when it is stopped. */
const goodRole = `
  process.on('SIGTERM', () => { console.log('drained'); process.exit(0) })
  setInterval(() => {}, 1000)
  console.log(JSON.stringify({ level: 30, msg: 'ready', pid: process.pid }))`

const makeRole = async (name: string, code: string, spec: Partial<RoleSpec> = {}) => {
  const file = join(folder, `${name}.mjs`)
  await writeFile(file, code)
  const argv = [process.execPath, file]
  const base = {
    name,
    argv,
    cwd: '/',
    env: () => ({}),
    startTimeoutMs: 20_000,
    stopTimeoutMs: 5_000,
  }
  return new RoleProcess({ ...base, ...spec }, events)
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-role-'))
  said = []
  waiting = []
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('a role', () => {
  test('that dies is restarted, with a message', async () => {
    const role = await makeRole('worker', goodRole)
    await role.start()
    const first = role.pid ?? 0
    process.kill(first, 'SIGKILL')
    await heard('worker ! is back')
    expect(role.pid).not.toBe(first)
    expect(said).toContain('worker ! was ended by SIGKILL; starting it again')
    await role.stop()
  })

  test('that is stopped drains and is not restarted', async () => {
    const role = await makeRole('api', goodRole)
    await role.start()
    const pid = role.pid
    await role.stop()
    expect(said).toContain('api > drained')
    await expect(readlink(`/proc/${pid}/exe`)).rejects.toThrow()
    expect(said.some((line) => line.includes('again'))).toBe(false)
  })

  test('that does not drain in time is killed', async () => {
    const unresponsive = goodRole.replace(`console.log('drained'); process.exit(0)`, '')
    const role = await makeRole('api', unresponsive, { stopTimeoutMs: 100 })
    await role.start()
    await role.stop()
    await expect(readlink(`/proc/${role.pid}/exe`)).rejects.toThrow()
  })

  test('that crashes while starting gets three attempts', async () => {
    const role = await makeRole('worker', 'process.exit(9)')
    await expect(role.start()).rejects.toMatchObject({ exitCode: exitCodes.failed })
    expect(said.filter((line) => line.includes('trying again'))).toHaveLength(2)
  })

  test('that is stopped between two attempts is not started again', async () => {
    const role = await makeRole('worker', 'process.exit(9)')
    const started = role.start()
    await heard('trying again')
    const { pid } = role
    await role.stop()
    await started
    expect(role.pid).toBe(pid)
  })

  test('that reports why it cannot start passes its exit code on, without another attempt', async () => {
    const role = await makeRole('agent', `console.error('crun is missing'); process.exit(5)`)
    await expect(role.start()).rejects.toMatchObject({ exitCode: exitCodes.toolMissing })
    expect(said).toEqual(['agent > crun is missing'])
  })

  test('is waited for as long as it reports progress', async () => {
    const slow = `
      const report = (msg) => console.log(JSON.stringify({ level: 30, msg }))
      let reports = 0
      const timer = setInterval(() => {
        report('still starting')
        if ((reports += 1) < 20) return
        clearInterval(timer)
        report('ready')
      }, 100)
      setInterval(() => {}, 1000)`
    const role = await makeRole('agent', slow, { startTimeoutMs: 1000 })
    await role.start()
    expect(said.filter((line) => line.includes('still starting'))).toHaveLength(20)
    await role.stop()
  })

  test('that stops reporting progress is killed', async () => {
    const stuck = `console.log(JSON.stringify({ level: 30, msg: 'still starting' })); setInterval(() => {}, 1000)`
    const role = await makeRole('agent', stuck, { startTimeoutMs: 300 })
    await expect(role.start()).rejects.toThrow('nor did it report progress')
  })

  test('that is never ready is killed', async () => {
    const role = await makeRole('worker', 'setInterval(() => {}, 1000)', { startTimeoutMs: 300 })
    await expect(role.start()).rejects.toThrow('worker was not ready after 0.3 s')
  })

  test('gets only the environment it is given', async () => {
    const code = `console.log(JSON.stringify(process.env)); ${goodRole}`
    const role = await makeRole('api', code, { env: () => ({ SANDBOX_PORT: '1' }) })
    await role.start()
    expect(said).toContain('api > {"SANDBOX_PORT":"1"}')
    await role.stop()
  })
})

describe('the supervisor', () => {
  /** A role that becomes ready after the other role of its stage has started. */
  const waitsFor = (other: string) => `
    import { existsSync, writeFileSync, watch } from 'node:fs'
    const there = () => existsSync(${JSON.stringify(join(folder, `${other}.started`))})
    await new Promise((resolve) => {
      watch(${JSON.stringify(folder)}, () => there() && resolve())
      writeFileSync(process.argv[1].replace('.mjs', '.started'), '')
      if (there()) resolve()
    })
    ${goodRole}`

  test('starts in stages and drains one by one in reverse order', async () => {
    const agent = await makeRole('agent', goodRole)
    // Each is ready only when the other has started.
    const [worker, api] = [
      await makeRole('worker', waitsFor('api')),
      await makeRole('api', waitsFor('worker')),
    ]
    const supervisor = new Supervisor([[agent], [worker, api]])
    await supervisor.start()
    const who = said.map((line) => line.split(' ')[0])
    expect(who[0]).toBe('agent')
    expect(who.toSorted()).toEqual(['agent', 'api', 'worker'])
    said = []
    await supervisor.stop()
    expect(said).toEqual(['api > drained', 'worker > drained', 'agent > drained'])
  })

  test('stops what it has started when a later part cannot start', async () => {
    const good = await makeRole('agent', goodRole)
    const supervisor = new Supervisor([[good], [await makeRole('worker', 'process.exit(6)')]])
    await expect(supervisor.start()).rejects.toMatchObject({ exitCode: exitCodes.dataFolder })
    expect(said).toContain('agent > drained')
  })

  test('kills everything at once', async () => {
    const unresponsive = await makeRole('api', goodRole.replace('process.exit(0)', ''), {
      stopTimeoutMs: 60_000,
    })
    const supervisor = new Supervisor([[unresponsive]])
    await supervisor.start()
    const stopped = supervisor.stop()
    await heard('api > drained')
    supervisor.kill()
    await stopped
    await expect(readlink(`/proc/${unresponsive.pid}/exe`)).rejects.toThrow()
  })
})
