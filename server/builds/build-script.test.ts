import { expect, test } from 'vitest'
import { buildExitCodes, buildScript } from './build-script.ts'

test('the builder is told which file the gate has read: by itself it prefers a Containerfile', () => {
  expect(buildScript).toMatch(/buildah bud .*-f "\$dockerfile" context/)
})

test('every exit code of the platform is one that the script uses, and none is the builder’s', () => {
  for (const code of Object.values(buildExitCodes)) {
    expect(buildScript).toContain(`exit ${code}`)
    expect(code).toBeGreaterThan(1)
  }
})
