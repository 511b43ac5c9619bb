import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type CheckQuestion, type CheckWorker, InputChecker } from './input-checker.ts'

class FakeWorker implements CheckWorker {
  onmessage: CheckWorker['onmessage'] = null
  onerror: CheckWorker['onerror'] = null
  readonly asked: CheckQuestion[] = []
  isEnded = false

  postMessage(question: CheckQuestion): void {
    this.asked.push(question)
  }

  terminate(): void {
    this.isEnded = true
  }

  answer(at: number): void {
    const id = this.asked[at]?.id ?? 0
    this.onmessage?.({ data: { id, verdict: { kind: 'valid' } } } as MessageEvent)
  }
}

const workers: FakeWorker[] = []
const checker = () =>
  new InputChecker(() => {
    const worker = new FakeWorker()
    workers.push(worker)
    return worker
  })

beforeEach(() => {
  workers.length = 0
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

test('each question gets its own answer from one worker', async () => {
  const inputs = checker()
  const [first, second] = [inputs.check('{}', '1'), inputs.check('{}', '2')]
  workers[0]?.answer(1)
  workers[0]?.answer(0)
  expect([await first, await second]).toEqual([{ kind: 'valid' }, { kind: 'valid' }])
  expect(workers).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(5000)
  expect(workers[0]?.isEnded).toBe(false)
})

test('a worker without an answer is killed, and the next question has another', async () => {
  const inputs = checker()
  const late = inputs.check('{}', '1')
  await vi.advanceTimersByTimeAsync(2000)
  expect(await late).toBeUndefined()
  expect(workers[0]?.isEnded).toBe(true)
  const next = inputs.check('{}', '2')
  workers[1]?.answer(0)
  expect(await next).toEqual({ kind: 'valid' })
})

test('a worker that fails reports that nothing was checked', async () => {
  const asked = checker().check('{}', '1')
  workers[0]?.onerror?.(new Event('error') as ErrorEvent)
  expect(await asked).toBeUndefined()
})
