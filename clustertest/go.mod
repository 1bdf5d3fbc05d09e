module slipway/clustertest

go 1.26.8
