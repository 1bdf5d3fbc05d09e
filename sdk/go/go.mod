module slipway.example.com/slipway

go 1.24
