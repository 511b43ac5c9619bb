import { documentedCommands, documentedExamples } from './example-commands.ts'
import { requireParts, type Step } from './step.ts'
import type { World } from './world.ts'

/** Set-up of the root beside the commands of a README: the folder of the program in the path, and root's own rights. */
const shell = 'PATH=$PWD:$PATH; sudo() { "$@"; }; '
const password = '/var/lib/sandbox-jobs/quickstart/password'

/** The commands of the examples, typed as their READMEs show them, in the folder of the program. */
export function exampleSteps(world: World): Step[] {
  const type = async (line: string): Promise<string> => {
    const { code, text } = await world.root.command(
      'env',
      `SANDBOX_URL=${world.url}`,
      'sh',
      '-ec',
      shell + line,
    )
    if (code !== 0) throw new Error(`${line} ends with ${code}:\n${text}`)
    return text
  }
  const typeAll = async (name: string) => {
    let printed = ''
    // Without the service, the example is run in tools/examples.test.ts.
    for (const line of documentedCommands(name).flat())
      if (/^(sudo )?sandbox |examples\/run /.test(line)) {
        const [id = 'RUN'] = printed.match(/run_[0-9a-f]{32}/g)?.slice(-1) ?? []
        printed += await type(line.replace(/\bRUN\b/, id))
      }
    return printed
  }
  const results: Record<string, RegExp> = {
    'agent-loop': /completed|result/i,
    'sales-report': /"best_product"[\s\S]*chart\.svg/,
    'shared-credential': /the second task has completed/,
  }
  return [
    {
      person: 'operator',
      does: 'logs in in the folder of the program',
      run: async () => void (await type(`SANDBOX_PASSWORD=$(cat ${password}) sandbox login --user ada`)),
    },
    ...documentedExamples.map(
      (name): Step => ({
        person: 'operator',
        does: `types the commands of the example ${name}`,
        run: async () => requireParts(await typeAll(name), results[name] ?? /./),
      }),
    ),
  ]
}
