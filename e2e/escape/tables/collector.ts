import type { Testbed } from '../testbed.ts'
import { runScript, type Trials } from '../trial.ts'

/** Contents of artifacts/, and the reason for which the bundle is refused. */
const bundles: [string, string, string][] = [
  ['link_to_file', 'ln -s /etc/passwd artifacts/l', 'symlink'],
  ['link_to_root', 'ln -s / artifacts/l', 'symlink'],
  ['link_to_canary', 'ln -s CANARY/canary artifacts/l', 'symlink'],
  ['link_to_own_root', 'ln -s /proc/1/root artifacts/l', 'symlink'],
  ['link_to_descriptor', 'ln -s /proc/self/fd/0 artifacts/l', 'symlink'],
  ['link_to_itself', 'ln -s l artifacts/l', 'symlink'],
  ['link_up', 'ln -s ../../../../../../../../../..CANARY artifacts/l', 'symlink'],
  ['link_deep', 'mkdir -p artifacts/a/b/c; ln -s /etc artifacts/a/b/c/l', 'symlink'],
  ['link_dangling', 'ln -s /nowhere artifacts/l', 'symlink'],
  ['folder_is_link', 'rmdir artifacts; ln -s / artifacts', 'not_a_folder'],
  ['folder_is_link_to_canary', 'rmdir artifacts; ln -s CANARY artifacts', 'not_a_folder'],
  ['folder_is_file', 'rmdir artifacts; echo >artifacts', 'not_a_folder'],
  ['folder_is_fifo', 'rmdir artifacts; mkfifo artifacts', 'not_a_folder'],
  ['hard_link', 'echo 1 >artifacts/a; ln artifacts/a artifacts/b', 'hard_link'],
  ['hard_link_out', 'echo 1 >a; ln a artifacts/a', 'hard_link'],
  ['fifo', 'mkfifo artifacts/f', 'special_file'],
  ['fifo_with_reader', 'mkfifo artifacts/f; cat artifacts/f & true', 'special_file'],
  ['too_many', 'for i in 1 2 3 4 5 6; do echo >artifacts/$i; done', 'too_many_files'],
  ['too_large', 'dd if=/dev/zero of=artifacts/b bs=1M count=2', 'too_large'],
  ['sparse', 'dd if=/dev/zero of=artifacts/b bs=1 count=1 seek=99999999999', 'too_large'],
  ['newline', 'touch "artifacts/$(printf "a\\nb")"', 'control_character'],
  ['escape_character', 'touch "artifacts/$(printf "a\\033[2Jb")"', 'control_character'],
  ['carriage_return', 'touch "artifacts/$(printf "a\\rb")"', 'control_character'],
  ['closed_folder', 'mkdir artifacts/c; chmod 0 artifacts/c', 'unreadable'],
  ['closed_file', 'echo 1 >artifacts/c; chmod 0 artifacts/c', 'unreadable'],
]

/** Outputs of jobs, and their status. */
const outputs: [string, string, string][] = [
  ['fifo', 'mkfifo output.json', 'not_regular'],
  ['link', 'ln -s /etc/passwd output.json', 'not_regular'],
  ['link_to_canary', 'ln -s CANARY/canary output.json', 'not_regular'],
  ['link_to_device', 'ln -s /dev/zero output.json', 'not_regular'],
  ['link_to_own_memory', 'ln -s /proc/1/mem output.json', 'not_regular'],
  ['hard_link', 'echo x >y; ln y output.json', 'not_regular'],
  ['folder', 'mkdir output.json', 'not_regular'],
  ['huge', 'dd if=/dev/zero of=output.json bs=1 count=1001', 'too_large'],
  ['sparse', 'dd if=/dev/zero of=output.json bs=1 count=1 seek=99999999999', 'too_large'],
]

/** gVisor makes no FIFO in the workspace, so there is nothing to refuse. */
const hasNone = (testbed: Testbed, script: string) => testbed.runtime === 'runsc' && script.includes('mkfifo')

/** Loops that continue while the job ends and its result is collected: any result of its own is accepted. */
const races: [string, string][] = [
  [
    'file_and_link',
    'while :; do ln -sf CANARY/canary output.json; rm output.json; echo 1 >output.json; done',
  ],
  [
    'folder_and_link',
    'while :; do rm -rf artifacts; ln -s CANARY artifacts; rm artifacts; mkdir artifacts; done',
  ],
  ['rename_up', 'mkdir -p artifacts/a/b; while :; do mv artifacts/a/b b; mv b artifacts/a/b; done'],
  [
    'exchange_folders',
    'mkdir x; ln -s / y; while :; do mv artifacts z; mv y artifacts; mv artifacts y; mv z artifacts; done',
  ],
  ['growing', 'while :; do echo x >>artifacts/g; done'],
  ['shrinking', 'while :; do dd if=/dev/zero of=artifacts/s bs=64k count=8; : >artifacts/s; done'],
  [
    'fifo_and_file',
    'while :; do mkfifo artifacts/f; rm artifacts/f; echo 1 >artifacts/f; rm artifacts/f; done',
  ],
  ['session_of_its_own', 'setsid sh -c "while :; do ln -sf CANARY/canary artifacts/l; rm artifacts/l; done"'],
  [
    'many_makers',
    'for i in 1 2 3 4; do (while :; do ln -s CANARY artifacts/$i; rm artifacts/$i; done) & done; wait',
  ],
]

export const collector: Trials = {
  class: 'collector',
  trials: [
    ...bundles.map(([name, script, reason]) => ({
      name: `bundle_${name}`,
      what: script,
      run: async (testbed: Testbed) => {
        const made = script.replaceAll('CANARY', testbed.canaries.folder)
        const { exit } = await runScript(testbed, `mkdir artifacts; echo 1 >output.json; ${made}; exit 0`)
        const found =
          exit.tree?.status === 'rejected' ? exit.tree.reason : `${exit.cause} ${exit.tree?.status}`
        const whole = exit.files.output?.status === 'present'
        return (found === reason || hasNone(testbed, script)) && whole
          ? undefined
          : `${found}, output ${exit.files.output?.status}`
      },
    })),
    {
      name: 'bundle_in_closed_workspace',
      what: 'chmod 0 .',
      run: async (testbed: Testbed) => {
        const { tree } = (await runScript(testbed, 'chmod 0 .')).exit
        return tree?.reason === 'unreadable' ? undefined : `root has seen that it is ${tree?.status}`
      },
    },
    ...outputs.map(([name, script, status]) => ({
      name: `output_${name}`,
      what: script,
      run: async (testbed: Testbed) => {
        const { exit } = await runScript(
          testbed,
          `${script.replaceAll('CANARY', testbed.canaries.folder)}; exit 0`,
        )
        const found = exit.files.output?.status
        return found === status || hasNone(testbed, script) ? undefined : `${exit.cause} ${found}`
      },
    })),
    ...races.map(([name, script]) => ({
      name: `race_${name}`,
      what: script,
      run: async (testbed: Testbed) => {
        const loop = script.replaceAll('CANARY', testbed.canaries.folder)
        const { exit } = await runScript(
          testbed,
          `mkdir artifacts; (${loop}) >/dev/null 2>&1 & sleep 0.2; exit 0`,
        )
        return exit.cause === 'exited' && exit.tree ? undefined : `${exit.cause} ${exit.detail}`
      },
    })),
  ],
}
