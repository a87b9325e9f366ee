// Mastra applications: node ask_mastra.mjs CASE; the model is one that says its lines in turn.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { createStep, createWorkflow } from '@mastra/core/workflows'
import { Observability } from '@mastra/observability'
import { OtelExporter } from '@mastra/otel-exporter'
import { z } from 'zod'
import { FERRY, INPUT_TOKENS, MODEL, OUTPUT_TOKENS } from './scenario.mjs'

const { question: Q, answer: A, passages: P } = FERRY
const usage = { prompt_tokens: INPUT_TOKENS, completion_tokens: OUTPUT_TOKENS, total_tokens: INPUT_TOKENS + OUTPUT_TOKENS }
const hits = () => P.map(([id, text, score]) => ({ id, text, score }))

function model(lines) {
  let said = 0
  const fetch = async () => {
    const line = lines[Math.min(said++, lines.length - 1)]
    const call = { index: 0, id: `call_${said}`, type: 'function', function: { name: 'find_passages', arguments: JSON.stringify(line) } }
    const delta = typeof line === 'string' ? { role: 'assistant', content: line } : { role: 'assistant', tool_calls: [call] }
    const chunk = (choices, more = {}) => `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: MODEL, choices, ...more })}\n\n`
    const finish = typeof line === 'string' ? 'stop' : 'tool_calls'
    const body = chunk([{ index: 0, delta }]) + chunk([{ index: 0, delta: {}, finish_reason: finish }]) + chunk([], { usage }) + 'data: [DONE]\n\n'
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  return createOpenAICompatible({ name: 'tiny', baseURL: 'http://tiny.invalid/v1', apiKey: 'unused', includeUsage: true, fetch })(MODEL)
}

function desk(lines, execute) {
  const find_passages = execute && createTool({ id: 'find_passages', description: 'Find passages', inputSchema: z.object({ query: z.string() }), execute })
  return new Agent({ id: 'desk', name: 'desk', instructions: 'Answer from what you find.', model: model(lines), tools: find_passages ? { find_passages } : {} })
}

function service(parts) {
  const endpoint = `${process.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`
  const exporter = new OtelExporter({ provider: { custom: { endpoint, protocol: 'http/protobuf' } } })
  const configs = { default: { serviceName: process.env.OTEL_SERVICE_NAME, exporters: [exporter] } }
  return new Mastra({ ...parts, observability: new Observability({ configs }), logger: false })
}

async function ask(lines, execute, prompt, options = {}) {
  const mastra = service({ agents: { desk: desk(lines, execute) } })
  for await (const _ of (await mastra.getAgent('desk').stream(prompt, options)).textStream);
  return mastra
}

async function workflow() {
  const passages = z.array(z.any()), question = z.string(), answer = z.string(), agent = desk([A])
  const find = createStep({ id: 'find', inputSchema: z.object({ question }), outputSchema: z.object({ question, passages }), execute: async ({ inputData }) => ({ ...inputData, passages: hits() }) })
  const reply = async ({ inputData: { question, passages }, tracingContext }) => {
    const prompt = `Context:\n${passages.map(each => each.text).join('\n\n')}\n\nQuestion: ${question}`
    return { answer: await (await agent.stream(prompt, { tracingContext })).text }
  }
  const say = createStep({ id: 'say', inputSchema: z.object({ question, passages }), outputSchema: z.object({ answer }), execute: reply })
  const rag = createWorkflow({ id: 'rag', inputSchema: z.object({ question }), outputSchema: z.object({ answer }) }).then(find).then(say).commit()
  const mastra = service({ workflows: { rag }, agents: { desk: agent } })
  await (await mastra.getWorkflow('rag').createRun()).start({ inputData: { question: Q } })
  return mastra
}

const told = async () => ({ relevantContext: P.map(([, text]) => ({ text })), sources: P.map(([id, text, score]) => ({ id, score, metadata: { text }, vector: [] })) })
const CASES = {
  tool: () => ask([{ query: 'dernier bateau' }, A], async () => hits(), Q, { tracingOptions: { metadata: { threadId: 's-6', userId: 'u-6' } } }),
  vector_tool: () => ask([{ query: 'dernier bateau' }, A], told, Q),
  pasted: () => ask([A], null, `Context:\n${P.map(([, text], place) => `[${place + 1}] ${text}`).join('\n')}\n\nQuestion: ${Q}`),
  workflow,
}
const mastra = await CASES[process.argv[2]]()
await mastra.shutdown()
