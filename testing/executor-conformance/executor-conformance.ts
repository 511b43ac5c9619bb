import { describe } from 'vitest'
import { hostConformance } from './host-conformance.ts'
import { imageConformance } from './image-conformance.ts'
import { sandboxConformance } from './sandbox-conformance.ts'
import type { ExecutorUnderTest } from './under-test.ts'

/** The conformance suite of the three ports, run for every executor. `get` is called inside each test. */
export function executorConformance(name: string, get: () => ExecutorUnderTest): void {
  describe(`${name} keeps the sandbox port`, () => {
    sandboxConformance(get)
  })
  describe(`${name} keeps the image port`, () => {
    imageConformance(() => get().executor)
  })
  describe(`${name} keeps the host port`, () => {
    hostConformance(() => get().executor)
  })
}
