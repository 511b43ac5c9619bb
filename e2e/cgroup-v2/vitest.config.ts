import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Tests of the executor that control groups have to do with. They need neither the database nor a way out. */
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '../..'),
    include: [
      'server/executor/oci/{cgroups,confinement,devices,limits}.test.ts',
      'server/runs/profile-limits.test.ts',
    ],
    // crun alone: gVisor starts nothing on this machine. Nothing in bulk: it takes too long where all is interpreted.
    testNamePattern: /^(?!.*(runsc|gvisor|GiB of log|log without end takes|slots are all in use))/,
    fileParallelism: false,
    pool: 'forks',
    // A machine whose every instruction is interpreted takes its time.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    allowOnly: false,
    passWithNoTests: false,
  },
})
