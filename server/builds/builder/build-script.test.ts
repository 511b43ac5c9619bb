import { expect, test } from 'vitest'
import { buildExitCodes, buildScript } from './build-script.ts'

test('the script names the file that the gate has read, since the builder prefers a Containerfile', () => {
  expect(buildScript).toMatch(/buildah bud .*-f "\$dockerfile" context/)
})

test('the script uses every exit code of the platform, and the builder none of them', () => {
  for (const code of Object.values(buildExitCodes)) {
    expect(buildScript).toContain(`exit ${code}`)
    expect(code).toBeGreaterThan(1)
  }
})
