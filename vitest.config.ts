import { defineConfig } from 'vitest/config'
import { packedPrograms } from './server/testing/packed-programs.ts'

export default defineConfig({
  plugins: [packedPrograms()],
  test: {
    include: ['{contract,server,cli,bench}/**/*.test.ts'],
    // Part of `npm run hostile-builds`, which runs for as long as all others of its folder.
    exclude: ['**/hostile-registry.test.ts'],
    globalSetup: ['server/testing/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    allowOnly: false,
    passWithNoTests: false,
  },
})
