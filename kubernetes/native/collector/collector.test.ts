import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeCertificate } from '../../../testing/certificate.ts'
import { eventually } from '../../../testing/eventually.ts'
import type { GatewayAnswer } from '../../../testing/kubernetes/fake-gateway.ts'
import { type PodInput, podInput } from '../../../testing/kubernetes/pod-input.ts'
import { TestPod } from '../../../testing/kubernetes/test-pod.ts'

let pod: TestPod

beforeEach(async () => {
  pod = await TestPod.make()
})
afterEach(() => pod.dispose())

const script = (text: string) => ['/.sandbox/busybox', 'sh', '-c', text]
const ok = (body: object = {}): GatewayAnswer => ({ status: 200, body })
const conflict = (error: string): GatewayAnswer => ({ status: 409, body: { error } })
const noOrders = { stop: 0, follow: 0, from: 0 }

/** Answers as a gateway does that has this input for the pod. */
function serve(input: PodInput, orders: object = noOrders): void {
  const { answers } = pod.gateway
  answers['POST redeem'] = () => ok({ timeout_ms: 20_000 })
  answers['GET input'] = () => ({ stream: podInput(input), end: 'ends' })
  answers['GET control'] = (_request, times) => (times === 1 ? ok(orders) : 'stalls')
  answers['PUT log'] = () => ok(noOrders)
}

/** Runs the pod to its end, and returns its record. */
async function record(settings?: Record<string, string>): Promise<Record<string, unknown>> {
  const [code] = await Promise.all([pod.collect(settings), pod.job()])
  expect(code).toBe(0)
  const [body, ...others] = pod.gateway.bodies('POST exit')
  expect(others).toEqual([])
  return JSON.parse(body?.toString() ?? '') as Record<string, unknown>
}

const logOf = () => pod.gateway.bodies('PUT log').at(-1)?.toString()

test('a job runs with its input, and its log and results are at the gateway before the record', async () => {
  serve({
    words: script('/.sandbox/busybox cat >result; echo "$NAME $HOME"; echo to-error >&2; exit 3'),
    env: { NAME: 'of the program' },
    files: [
      [100, 'result'],
      [100, 'none'],
      [2, 'result'],
    ],
    bytes: 'the input',
  })
  expect(await record()).toMatchObject({
    cause: 'exited',
    exitCode: 3,
    detail: '',
    files: [
      { status: 'present', byteSize: 9 },
      { status: 'absent', byteSize: 0 },
      { status: 'too_large', byteSize: 9 },
    ],
    logTotalBytes: 35,
    egressBytes: 0,
  })
  expect(logOf()).toBe('of the program /workspace\nto-error\n')
  expect(pod.gateway.bodies('PUT files/0').map(String)).toEqual(['the input'])
  const order = pod.gateway.requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`)
  expect(order.filter((what) => what !== 'GET control')).toEqual([
    ...['POST redeem', 'GET input', 'POST started', 'PUT log', 'PUT files/0', 'POST exit'],
  ])
})

test('the first request has the token of the pod, all others the secret of this collector', async () => {
  serve({ words: script('true') })
  await record()
  const [redeem, ...others] = pod.gateway.requests
  expect(redeem?.authorization).toBe('Bearer the-token-of-the-pod')
  const { credential } = JSON.parse(redeem?.body.toString() ?? '') as { credential: string }
  expect(credential).toMatch(/^[0-9a-f]{64}$/)
  expect([...new Set(others.map(({ authorization }) => authorization))]).toEqual([`Bearer ${credential}`])
})

test('values of secrets are masked before the log leaves the pod', async () => {
  serve({ words: script('echo "say opensesame"'), masked: ['opensesame'] })
  await record()
  expect(logOf()).toBe('say [masked]\n')
})

test.each<[string, Parameters<typeof conflict>[0]]>([
  ['it was started already', 'already_started'],
  ['the share was revoked', 'share_grant_revoked'],
])('nothing starts where %s', async (_why, code) => {
  pod.gateway.answers['POST redeem'] = () => conflict(code)
  void pod.job()
  expect(await pod.collect()).toBe(0)
  expect(pod.gateway.requests).toHaveLength(1)
})

test.each<[string, GatewayAnswer]>([
  ['broke', 'breaks'],
  ['was of another form', { stream: Buffer.alloc(0), end: 'ends' }],
  ['came too early', { status: 503, body: { error: 'unavailable' } }],
])('a redeem whose answer %s is asked again with the same secret', async (_how, answer) => {
  serve({ words: script('true') })
  pod.gateway.answers['POST redeem'] = (_request, times) => (times < 3 ? answer : ok({ timeout_ms: 20_000 }))
  expect(await record()).toMatchObject({ cause: 'exited', exitCode: 0 })
  const bodies = pod.gateway.bodies('POST redeem').map(String)
  expect(bodies).toHaveLength(3)
  expect(new Set(bodies).size).toBe(1)
})

test.each<[string, (whole: Buffer) => GatewayAnswer]>([
  ['ends before its end', (whole) => ({ stream: whole.subarray(0, -4), end: 'ends' })],
  ['is cut in the program', (whole) => ({ stream: whole.subarray(0, 130), end: 'cuts' })],
  ['was taken before', () => conflict('input_taken')],
])('an input that %s starts nothing twice, and is lost', async (_how, answer) => {
  const input = { words: script('/.sandbox/busybox cat; echo all'), bytes: 'half' }
  serve(input)
  pod.gateway.answers['GET input'] = () => answer(podInput(input))
  const job = pod.job()
  expect(await pod.collect()).toBe(0)
  expect(JSON.parse(String(pod.gateway.bodies('POST exit')[0]))).toMatchObject({
    cause: 'lost',
    detail: 'input_cut',
  })
  expect(pod.gateway.bodies('GET input')).toHaveLength(1)
  await job
  expect(logOf() ?? '').not.toContain('all')
})

test('a deadline ends all processes', async () => {
  serve({ words: script('/.sandbox/busybox sleep 100 & echo started; wait'), timeoutMs: 300 })
  expect(await record()).toMatchObject({ cause: 'deadline' })
  expect(logOf()).toBe('started\n')
})

test.each([1, 2])('order %i of the gateway stops it', async (stop) => {
  serve({ words: script('/.sandbox/busybox sleep 100') }, { ...noOrders, stop })
  expect(await record()).toMatchObject({ cause: 'stopped' })
})

test('a program that is asked to end has its time', async () => {
  const text = 'trap "echo asked; exit 0" TERM; echo started; while :; do /.sandbox/busybox sleep 0.05; done'
  serve({ words: script(text), plan: { grace_ms: 5000 }, timeoutMs: 300 })
  expect(await record()).toMatchObject({ cause: 'deadline' })
  expect(logOf()).toMatch(/^started\n(?:.*\n)*asked\n$/)
})

test('a log that somebody reads is sent while it is written', async () => {
  serve({ words: script('echo early; exec /.sandbox/busybox sleep 100') }, { ...noOrders, follow: 1 })
  pod.gateway.answers['PUT log'] = ({ path }) => ok({ ...noOrders, stop: path === 'log' ? 0 : 2 })
  expect(await record()).toMatchObject({ cause: 'stopped' })
  const windows = pod.gateway.requests.filter(({ path }) => path.startsWith('log?from='))
  expect(windows.map(({ path, body }) => [path, String(body)])).toEqual([['log?from=0', 'early\n']])
  expect(logOf()).toBe('early\n')
})

test.each(['POST started', 'PUT log'])(
  'a gateway that stalls at %s holds up neither the deadline nor the record',
  async (where) => {
    serve(
      { words: script('echo started; exec /.sandbox/busybox sleep 100'), timeoutMs: 500 },
      { ...noOrders, follow: 1 },
    )
    pod.gateway.answers[where] = ({ path }) => (path === 'log' ? ok() : 'stalls')
    expect(await record()).toMatchObject({ cause: 'deadline' })
    expect(logOf()).toBe('started\n')
  },
)

test('processes that the program leaves are killed before its results are read', async () => {
  const text = '(trap "" TERM; while :; do echo more >>result; done) & while [ ! -s result ]; do :; done'
  serve({ words: script(text), files: [[1 << 28, 'result']] })
  expect(await record()).toMatchObject({ cause: 'exited', exitCode: 0, files: [{ status: 'present' }] })
  expect(pod.gateway.bodies('PUT files/0')).toEqual([pod.file('result')])
})

test('where process 1 is gone, the cluster has to say that the container has ended', async () => {
  serve({ words: script('echo started; exec /.sandbox/busybox sleep 100') }, { ...noOrders, follow: 1 })
  pod.gateway.answers['PUT log'] = ({ path }) => {
    if (path !== 'log') pod.killJob()
    return ok(noOrders)
  }
  pod.gateway.answers['GET job'] = (_request, times) => ok({ terminated: times < 2 ? 0 : 1 })
  expect(await record()).toMatchObject({ cause: 'signalled', signal: 9 })
  expect(pod.gateway.bodies('GET job')).toHaveLength(2)
})

test('beyond its egress cap a job is ended', async () => {
  await pod.addDevice()
  const text =
    'i=0; while [ $i -lt 300 ]; do /.sandbox/busybox nc -w 60 10.9.9.9 80 & i=$((i + 1)); done; wait'
  serve({ words: script(text), plan: { egress_cap: 1000 } })
  const { egressBytes, ...ended } = await record()
  expect(ended).toMatchObject({ cause: 'egress_cap', detail: '' })
  expect(egressBytes).toBeGreaterThan(1000)
})

test.each([
  ['of another name', 'other-gateway', undefined],
  ['of another authority', 'sandbox-gateway', makeCertificate(1, 'sandbox-gateway').certificate],
])('a gateway %s gets no request', async (_what, host, authority) => {
  await pod.dispose()
  pod = await TestPod.make({ host })
  void pod.collect(authority === undefined ? {} : { SANDBOX_GATEWAY_AUTHORITY: authority })
  await eventually(() => expect(pod.gateway.refusedHandshakes).toBeGreaterThan(1))
  expect(pod.gateway.requests).toEqual([])
})

test('a start that fails says why', async () => {
  serve({ words: ['/no/such/program'] })
  expect(await record()).toMatchObject({ cause: 'start_failed', detail: 'command_not_found' })
})

test('users of the node are refused', async () => {
  expect(await pod.collect({ SANDBOX_BOUNDARY: 'user_namespace' })).toBe(0)
  expect(pod.gateway.bodies('POST refused').map(String)).toEqual(['{"slug":"host_users"}'])
  expect(pod.gateway.requests).toHaveLength(1)
})

test('a pod that reaches the canary is refused', async () => {
  expect(await pod.collect({ SANDBOX_CANARY: '127.0.0.1 7443' })).toBe(0)
  expect(pod.gateway.bodies('POST refused').map(String)).toEqual(['{"slug":"network_rules"}'])
})

test('an upload is repeated until the gateway has it', async () => {
  serve({ words: script('echo text >result'), files: [[100, 'result']] })
  pod.gateway.answers['PUT files/0'] = (_request, times) => (times < 3 ? 'breaks' : ok())
  pod.gateway.answers['POST exit'] = (_request, times) => (times < 2 ? 'breaks' : ok())
  const [code] = await Promise.all([pod.collect(), pod.job()])
  expect(code).toBe(0)
  expect(pod.gateway.bodies('PUT files/0').map(String)).toEqual(['text\n', 'text\n', 'text\n'])
  expect(new Set(pod.gateway.bodies('POST exit').map(String)).size).toBe(1)
})

test('a program cannot meet the collector, see its memory or its token', async () => {
  const tries = [
    '/.sandbox/busybox nc -w 1 127.0.0.1 61083 </proc/self/status && echo connected',
    '/.sandbox/busybox cat /token/* /record/*',
    'for process in /proc/[0-9]*; do /.sandbox/busybox tr "\\0" " " <$process/cmdline; done',
    '/.sandbox/busybox env',
    'echo over',
  ]
  serve({ words: script(tries.join('\n')), files: [] })
  await record()
  const log = logOf() ?? ''
  expect(log).toContain('over')
  expect(log).not.toMatch(/^connected$|the-token-of-the-pod|\/collector|KUBERNETES|tenant-value/m)
})

test('messages without end in place of those of process 1 keep the collector from nothing', async () => {
  serve({ words: script('true') })
  pod.gateway.answers['GET job'] = () => ok({ terminated: 1 })
  const connect = 'busybox nc 127.0.0.1 61083'
  const flood = script(`cd /.sandbox
    until ./busybox grep -q :EE9B /proc/net/tcp; do ./busybox sleep 0.1; done
    { printf I; ./busybox sleep 60; } | ./${connect} >/dev/null &
    { printf L; ./busybox sleep 60; } | ./${connect} >/dev/null &
    { printf 'CR\\0\\0\\0\\0\\0\\0\\0'; ./busybox yes; } | ./${connect} >/dev/null`)
  const collected = pod.collect()
  void pod.job(flood)
  await eventually(() => expect(pod.gateway.bodies('POST started')).toHaveLength(1))
  pod.killJob()
  expect(await collected).toBe(0)
})
