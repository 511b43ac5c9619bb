import { requireParts, type Step } from './step.ts'
import type { World } from './world.ts'

/** Bases of the templates that the quickstart has not made. */
const presets = ['node:20', 'r:4.5', 'java:21']

export function operatorSteps({ root, port }: World): Step[] {
  const must = async (argv: string[], ...parts: (string | RegExp)[]) => {
    const { code, text } = await root.command(...argv)
    if (code !== 0) throw new Error(`${argv.join(' ')} ends with ${code}:\n${text}`)
    requireParts(text, ...parts)
  }
  const quickstart = ['./quickstart', '--port', String(port)]
  return [
    {
      person: 'operator',
      does: 'installs everything and sees the first result',
      run: () => must(quickstart, '"best_product"', 'Done in', '/public/'),
    },
    {
      person: 'operator',
      does: 'runs the quickstart again, which changes nothing',
      run: () => must(quickstart, 'nothing to change', 'Done in'),
    },
    {
      person: 'operator',
      does: 'asks whether the machine is in order',
      run: () => must(['./sandbox', 'doctor']),
    },
    ...presets.map(
      (preset): Step => ({
        person: 'operator',
        does: `adds the base image of the preset ${preset}`,
        run: () => must(['./sandbox', 'operator', 'base-image', 'add', '--preset', preset]),
      }),
    ),
  ]
}
