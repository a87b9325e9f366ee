// Vercel AI SDK applications: node ask_vercel.mjs CASE, generation in INSTRUMENTATION (ai4 … ai7)
import { trace } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { z } from 'zod'
import { FERRY } from './scenario.mjs'
const gen = process.env.INSTRUMENTATION, major = Number(gen.slice(2))
const ai = await import(gen), test = await import(`${gen}/test`)
const provider = new NodeTracerProvider({ resource: resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME }), spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())] })
provider.register()
if (major === 7) { const { OpenTelemetry } = await import('@ai-sdk/otel'); ai.registerTelemetry(new OpenTelemetry()) }
const { question: Q, answer: A, passages: P } = FERRY
const usage = major === 4 ? { promptTokens: 61, completionTokens: 17 } : major === 5 ? { inputTokens: 61, outputTokens: 17, totalTokens: 78 } : { inputTokens: { total: 61 }, outputTokens: { total: 17 } }
const stop = r => major < 6 ? r : { unified: r, raw: r }
const version = { 4: 'V1', 5: 'V2', 6: 'V3', 7: 'V4' }[major]
const Mock = test[`MockLanguageModel${version}`]
function model(lines) {
  let said = 0
  const next = () => lines[Math.min(said++, lines.length - 1)]
  const doGenerate = async () => {
    const line = next()
    if (line instanceof Error) throw line
    if (major === 4) return typeof line === 'string' ? { text: line, finishReason: 'stop', usage, rawCall: { rawPrompt: null, rawSettings: {} } } : { toolCalls: [{ toolCallType: 'function', toolCallId: 'c' + said, toolName: line.tool ?? 'findPassages', args: JSON.stringify(line) }], finishReason: 'tool-calls', usage, rawCall: { rawPrompt: null, rawSettings: {} } }
    return { content: [typeof line === 'string' ? { type: 'text', text: line } : { type: 'tool-call', toolCallId: 'c' + said, toolName: 'findPassages', input: JSON.stringify(line) }], finishReason: stop(typeof line === 'string' ? 'stop' : 'tool-calls'), usage, warnings: [] }
  }
  const doStream = async () => {
    const line = next()
    const chunks = major === 4 ? [...line.match(/.{1,6}/gs).map(t => ({ type: 'text-delta', textDelta: t })), { type: 'finish', finishReason: 'stop', usage }] :
      [{ type: 'stream-start', warnings: [] }, ...(typeof line === 'string' ? [{ type: 'text-start', id: '1' }, ...line.match(/.{1,6}/gs).map(t => ({ type: 'text-delta', id: '1', delta: t })), { type: 'text-end', id: '1' }] : [{ type: 'tool-call', toolCallId: 'c' + said, toolName: 'findPassages', input: JSON.stringify(line) }]), { type: 'finish', finishReason: stop(typeof line === 'string' ? 'stop' : 'tool-calls'), usage }]
    return { stream: test.simulateReadableStream({ chunks }), rawCall: { rawPrompt: null, rawSettings: {} } }
  }
  return new Mock({ provider: 'tiny', modelId: 'tiny-chat-1', defaultObjectGenerationMode: 'json', doGenerate, doStream })
}
const telemetry = (more = {}) => ({ experimental_telemetry: { isEnabled: true, functionId: 'ask', metadata: { sessionId: 's-6', userId: 'u-6' }, ...more } })
const schema = z.object({ query: z.string() })
const make = (execute) => ({ findPassages: major === 4 ? ai.tool({ description: 'Find passages', parameters: schema, execute }) : ai.tool({ description: 'Find passages', inputSchema: schema, execute }) })
const hits = () => P.map(([id, text, score]) => ({ id, text, score }))
const steps = major === 4 ? { maxSteps: 4 } : { stopWhen: ai.stepCountIs?.(4) ?? ai.isStepCount?.(4) }
const numbered = P.map(([, t], i) => `[${i + 1}] ${t}`).join('\n'), plain = P.map(([, t]) => t).join('\n\n')
async function drain(r) { for await (const _ of r.textStream); }
const CASES = {
    "tool": () => ai.generateText({ model: model([{ query: 'dernier bateau' }, A]), prompt: Q, tools: make(async () => hits()), ...steps, ...telemetry() }),
    "tool_stream": () => drain(ai.streamText({ model: model([{ query: 'dernier bateau' }, A]), prompt: Q, tools: make(async () => ({ results: hits() })), ...steps, ...telemetry() })),
    "tool_text": () => ai.generateText({ model: model([{ query: 'dernier bateau' }, A]), messages: [{ role: 'user', content: 'Bonjour' }, { role: 'assistant', content: 'Bonjour !' }, { role: 'user', content: Q }], tools: make(async () => numbered), ...steps, ...telemetry() }),
    "tool_twice": () => ai.generateText({ model: model([{ query: 'bateau' }, { query: 'horaire bateau' }, A]), prompt: Q, tools: make(async ({ query }) => query === 'bateau' ? hits().slice(1) : hits().slice(0, 2)), ...steps, ...telemetry() }),
    "tool_error": () => ai.generateText({ model: model([{ query: 'dernier bateau' }, 'Je ne sais pas.']), prompt: Q, tools: make(async () => { throw new Error("index 'ferry' unreachable") }), ...steps, ...telemetry() }).catch(() => 0),
    "prompt": () => ai.generateText({ model: model([A]), system: 'Answer from:\n' + numbered, prompt: Q, ...telemetry() }),
    "prompt_plain": () => ai.generateText({ model: model([A]), prompt: `Context:\n${plain}\n\nQuestion: ${Q}`, ...telemetry() }),
    "stream": () => drain(ai.streamText({ model: model([A]), system: 'Answer from:\n' + numbered, prompt: Q, ...telemetry() })),
    "object": () => ai.generateObject({ model: model([JSON.stringify({ answer: A })]), schema: z.object({ answer: z.string() }), system: 'Answer from:\n' + numbered, prompt: Q, ...telemetry() }),
    "model_error": () => ai.generateText({ model: model([new Error('overloaded: try later')]), maxRetries: 0, system: numbered, prompt: Q, ...telemetry() }).catch(() => 0),
    "two_turns": () => trace.getTracer('desk').startActiveSpan('POST /chat', async s => { for (const q of [Q, 'Et pour les enfants ?']) await ai.generateText({ model: model([{ query: q }, q === Q ? A : '22 € [1].']), prompt: q, tools: make(async () => hits()), ...steps, ...telemetry() }); s.end() }),
}
await CASES[process.argv[2]]()
await provider.forceFlush(); await provider.shutdown()
