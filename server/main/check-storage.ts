import { readConfig } from '../base/config/config.ts'
import { createLog } from '../base/logging.ts'
import { bucketProblem } from '../storage/open-storage.ts'
import { exitCodes } from './supervisor/service-problem.ts'

/*
 * Tries the bucket of the settings before API and worker start, with their rights. A store that refuses needs the operator; one
 * that does not answer may do so at the next try.
 */
const config = readConfig()
const problem = await bucketProblem(config)
if (problem) {
  createLog('storage', config.logLevel).fatal(problem.message)
  process.exitCode = problem.isRefusal ? exitCodes.configuration : exitCodes.failed
}
