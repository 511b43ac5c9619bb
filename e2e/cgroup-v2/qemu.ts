import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Runs a virtual machine of two processors until it powers off. `accel` is qemu's option. Returns the lines of its console. */
export async function runQemu(
  accel: string,
  options: readonly string[],
  onLine: (line: string) => void,
): Promise<string[]> {
  const common = ['-accel', accel, '-cpu', 'max', '-smp', '2', '-nographic', '-no-reboot']
  const child = spawn('qemu-system-x86_64', [...common, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    onLine(line)
  }
  return lines
}
