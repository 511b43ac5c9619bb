import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Tests of the executor that depend on control groups. They need neither the database nor a network. */
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '../..'),
    include: [
      'agent/{bundle/{confinement,launcher,procfs-overlay},capacity/{limits,shim-groups},core/shim/spawner}.test.ts',
      'agent/host/{cgroups,devices}.test.ts',
      'server/runs/prepare/profile-limits.test.ts',
    ],
    // Without gVisor, which does not start on this machine. No bulk tests: emulation is too slow for them.
    testNamePattern: /^(?!.*(runsc|gvisor|GiB of log|log without end takes|slots are all in use))/,
    fileParallelism: false,
    pool: 'forks',
    // Emulation is slow.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    allowOnly: false,
    passWithNoTests: false,
  },
})
